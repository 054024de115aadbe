<?php
/*
 * A shop that receives Paybell's webhooks, with PHP and PDO alone.
 *
 *     ORDERS=A-1001,A-1002 WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:4000 receiver.php
 *
 * It verifies the bytes that came, stores each event once, lets no older status overwrite a newer one, and fulfils each of
 * its own orders once, if the sum is whole and the order still stands: docs/using/money.md has each situation. SQLite (the
 * extension pdo_sqlite) stands in for the shop's database; behind a web server this is the script of one route.
 */
declare(strict_types=1);

const MAX_BYTES = 1_000_000;
const TABLES = <<<'SQL'
    CREATE TABLE IF NOT EXISTS shop_order (id TEXT PRIMARY KEY, fulfilled_by TEXT, cancelled_at TEXT);
    CREATE TABLE IF NOT EXISTS paybell_event (id TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS payment (
      quote_id TEXT PRIMARY KEY, order_id TEXT, status TEXT NOT NULL, sequence INTEGER NOT NULL);
    SQL;
// Anomalies in the report of a completion whose money is not whole.
const DOUBTS = ['short_output', 'partly_refunded', 'contradictory_output', 'other_token_received'];

/** Whether Paybell signed these bytes within the last five minutes. */
function isGenuine(string $body, string $secret): bool
{
    [$id, $timestamp, $signatures] = array_map(
        fn($name) => (string) ($_SERVER["HTTP_WEBHOOK_$name"] ?? ''),
        ['ID', 'TIMESTAMP', 'SIGNATURE'],
    );
    if (!preg_match('/\A[0-9]{1,12}\z/', $timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

/** How many rows the statement changed. */
function changed(PDO $db, string $sql, array $values): int
{
    $statement = $db->prepare($sql);
    $statement->execute($values);
    return $statement->rowCount();
}

/** Whether the completion itself says that the sum is there, and no other payment of the order has completed. */
function isWhole(array $data): bool
{
    $amounts = $data['amounts'] ?? [];
    $deposit = $data['payment']['deposit'] ?? [];
    $isDenied = ($data['verification']['state'] ?? null) === 'contradicted' && !isset($data['resolution']);
    if (($data['order']['completed'] ?? []) !== [] || $isDenied) {
        return false;
    }
    $hasNull = fn(array $in, string $name) => array_key_exists($name, $in) && $in[$name] === null;
    $isNamed = ($deposit['amount'] ?? $deposit['amountRaw'] ?? null) !== null && !$hasNull($deposit, 'token');
    $match = $amounts['match'] ?? null;
    $isOther = $isNamed && $match === 'unknown' && $hasNull($amounts['send'] ?? [], 'came');
    $doubts = array_intersect($data['payment']['anomalies'] ?? [], DOUBTS);
    if ($match === 'underpaid' || $isOther || $doubts !== []) {
        return false;
    }
    $receive = $amounts['receive'] ?? [];
    if (!isset($receive['promised'], $receive['arrived'])) {
        return true;
    }
    return (float) $receive['arrived'] >= 0.99 * (float) $receive['promised']; // an estimate: floats are exact enough
}

/** What the event does to the shop, in the transaction of `$db`; answers one word for the log. */
function handle(array $event, PDO $db): string
{
    if (changed($db, 'INSERT OR IGNORE INTO paybell_event VALUES (?)', [$event['id']]) === 0) {
        return 'duplicate';
    }
    $data = $event['data'];
    if (!isset($data['quoteId'])) { // a test, or an operational event
        return 'ignored';
    }
    // COMPLETED wins whatever its number, and no other status replaces it.
    $newer = changed(
        $db,
        "INSERT INTO payment (quote_id, order_id, status, sequence) VALUES (?, ?, ?, ?) ON CONFLICT (quote_id) DO UPDATE
         SET order_id = coalesce(excluded.order_id, order_id), status = excluded.status, sequence = excluded.sequence
         WHERE (payment.status = 'COMPLETED', payment.sequence) < (excluded.status = 'COMPLETED', excluded.sequence)",
        [$data['quoteId'], $data['orderId'], $data['status'], $data['sequence']],
    );
    // A payment that was completed before its order was named is fulfilled by the event that names it. Either counts also
    // after a later event.
    $isNamed = $data['status'] === 'COMPLETED' && ($data['named'] ?? false);
    if ($event['type'] !== 'payment.completed' && !$isNamed) {
        return $newer === 1 ? 'stored' : 'outdated';
    }
    if (!isWhole($data)) {
        return 'not fulfilled'; // for a person: who gets the money back?
    }
    // Only an order that the shop has: never make one of an event.
    $sql = 'UPDATE shop_order SET fulfilled_by = :quote WHERE id = :order AND fulfilled_by IS NULL AND cancelled_at IS NULL';
    $values = ['quote' => $data['quoteId'], 'order' => $data['orderId']];
    return changed($db, $sql, $values) === 1 ? 'fulfilled' : 'not fulfilled';
}

function connect(): PDO
{
    $db = new PDO('sqlite:' . (getenv('DATABASE') ?: 'shop.db'), null, null, [PDO::ATTR_TIMEOUT => 5]);
    $db->exec(TABLES);
    foreach (array_filter(explode(',', getenv('ORDERS') ?: '')) as $order) {
        changed($db, 'INSERT OR IGNORE INTO shop_order (id) VALUES (?)', [$order]);
    }
    return $db;
}

/** Handles the event in one transaction; answers the status. */
function receive(array $event): int
{
    try {
        $db = connect();
        $db->exec('BEGIN IMMEDIATE');
        $word = handle($event, $db);
        $db->exec('COMMIT');
    } catch (PDOException $error) { // the end of the connection rolls back
        error_log("not stored: {$error->getMessage()}");
        return 500; // Paybell sends it again
    }
    error_log("$word: {$event['type']} " . ($event['data']['orderId'] ?? ''));
    return 204;
}

http_response_code(401); // before PHP prints any warning, and 200 with it
$body = (string) file_get_contents('php://input', length: MAX_BYTES + 1);
if (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/webhooks/paybell') {
    http_response_code(404);
} elseif (strlen($body) > MAX_BYTES) {
    http_response_code(413);
} elseif (isGenuine($body, (string) getenv('WEBHOOK_SECRET'))) {
    http_response_code(receive(json_decode($body, true, flags: JSON_THROW_ON_ERROR)));
}
