<?php
// Reads Paybell's event log on from its cursor, with PHP and PDO alone. SQLite stands in for the shop's database.
$db = new PDO('sqlite:' . (getenv('DATABASE') ?: 'shop.db'));
$db->exec('CREATE TABLE IF NOT EXISTS paybell_cursor (one INTEGER PRIMARY KEY, value TEXT)');
$context = stream_context_create(['http' => ['header' => 'x-api-key: ' . getenv('PAYBELL_API_KEY'), 'timeout' => 30]]);
while (true) {
    $cursor = $db->query('SELECT value FROM paybell_cursor')->fetchColumn();
    $query = http_build_query(['limit' => 1000] + ($cursor === false ? [] : ['after' => $cursor]));
    $text = file_get_contents(getenv('PAYBELL_URL') . "/api/events?$query", context: $context); // false, with a warning: not read
    $page = json_decode($text ?: '{"data": []}', true); // its floats lose digits of an amount: keep $text for those
    $db->beginTransaction(); // what the events do to your shop, and the cursor
    foreach ($page['data'] as $event) {
        echo "{$event['type']} {$event['data']['sequence']} {$event['data']['quoteId']}\n";
    }
    if ($page['data']) {
        $db->prepare('INSERT OR REPLACE INTO paybell_cursor VALUES (1, ?)')->execute([$page['nextCursor']]);
    }
    $db->commit();
    if (!$page['data']) {
        sleep(2);
    }
}
