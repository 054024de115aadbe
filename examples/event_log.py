"""Reads Paybell's event log on from its cursor, with Python's standard library alone. SQLite stands in for the shop's database."""

import http.client, json, os, sqlite3, time, urllib.parse, urllib.request
from decimal import Decimal

db = sqlite3.connect(os.environ.get("DATABASE", "shop.db"))
db.execute("CREATE TABLE IF NOT EXISTS paybell_cursor (one INTEGER PRIMARY KEY, value TEXT)")
headers = {"x-api-key": os.environ["PAYBELL_API_KEY"]}
while True:
    cursor = db.execute("SELECT value FROM paybell_cursor").fetchone()
    query = urllib.parse.urlencode({"limit": 1000, **({"after": cursor[0]} if cursor else {})})
    request = urllib.request.Request(f"{os.environ['PAYBELL_URL']}/api/events?{query}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            page = json.load(answer, parse_float=Decimal)  # a float would lose digits of an amount
    except (OSError, http.client.HTTPException) as error:
        print(f"not read: {error}", flush=True)
        page = {"data": []}
    with db:  # one transaction: what the events do to your shop, and the cursor
        for event in page["data"]:
            print(event["type"], event["data"]["sequence"], event["data"]["quoteId"], flush=True)
        if page["data"]:
            db.execute("INSERT OR REPLACE INTO paybell_cursor VALUES (1, ?)", (page["nextCursor"],))
    if not page["data"]:
        time.sleep(2)
