"""A shop that receives Paybell's webhooks, with Python's standard library alone.

    ORDERS=A-1001,A-1002 WEBHOOK_SECRET=whsec_... python3 receiver.py

It verifies the bytes that came, stores each event once, lets no older status overwrite a newer one, and fulfils each of
its own orders once, if the sum is whole and the order still stands: docs/using/money.md has each situation. SQLite stands in for the shop's database. Behind a proxy, the proxy speaks https.
"""

import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import time
from contextlib import closing
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]
DATABASE = os.environ.get("DATABASE", "shop.db")
PORT = int(os.environ.get("PORT", 4000))
MAX_BYTES = 1_000_000
TABLES = """
CREATE TABLE IF NOT EXISTS shop_order (id TEXT PRIMARY KEY, fulfilled_by TEXT, cancelled_at TEXT);
CREATE TABLE IF NOT EXISTS paybell_event (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS payment (
  quote_id TEXT PRIMARY KEY, order_id TEXT, status TEXT NOT NULL, sequence INTEGER NOT NULL);
"""
# Anomalies in the report of a completion whose money is not whole.
DOUBTS = {"short_output", "partly_refunded", "contradictory_output", "other_token_received"}


def is_genuine(headers, body):
    """Whether Paybell signed these bytes within the last five minutes."""
    msg_id, timestamp, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    digest = hmac.new(key, f"{msg_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, each.encode()) for each in signatures.split(" "))


def is_whole(data):
    """Whether the completion itself says that the sum is there, and no other payment of the order has completed."""
    amounts, report = data.get("amounts") or {}, data.get("payment") or {}
    is_denied = data.get("verification", {}).get("state") == "contradicted" and not data.get("resolution")
    if data.get("order", {}).get("completed") or is_denied:
        return False
    deposit = report.get("deposit") or {}
    is_named = (deposit.get("amount") or deposit.get("amountRaw")) is not None and deposit.get("token", "") is not None
    is_none = amounts.get("match") == "unknown" and amounts.get("send", {}).get("came", "") is None
    if amounts.get("match") == "underpaid" or (is_named and is_none) or DOUBTS & set(report.get("anomalies") or ()):
        return False
    promised, arrived = (amounts.get("receive", {}).get(name) for name in ("promised", "arrived"))
    return None in (promised, arrived) or Fraction(arrived) * 100 >= Fraction(promised) * 99


def handle(event, db):
    """What the event does to the shop, in the transaction of `db`; answers one word for the log."""
    if db.execute("INSERT OR IGNORE INTO paybell_event VALUES (?)", (event["id"],)).rowcount == 0:
        return "duplicate"
    data = event["data"]
    if "quoteId" not in data:  # a test, or an operational event
        return "ignored"
    # COMPLETED wins whatever its number, and no other status replaces it.
    newer = db.execute(
        """INSERT INTO payment (quote_id, order_id, status, sequence) VALUES (:quoteId, :orderId, :status, :sequence)
           ON CONFLICT (quote_id) DO UPDATE
           SET order_id = coalesce(excluded.order_id, order_id), status = excluded.status, sequence = excluded.sequence
           WHERE (payment.status = 'COMPLETED', payment.sequence) < (excluded.status = 'COMPLETED', excluded.sequence)""",
        {name: data[name] for name in ("quoteId", "orderId", "status", "sequence")},
    )
    # A payment that was completed before its order was named is fulfilled by the event that names it. Either counts also
    # after a later event.
    if event["type"] != "payment.completed" and not (data["status"] == "COMPLETED" and data.get("named")):
        return "stored" if newer.rowcount == 1 else "outdated"
    if not is_whole(data):
        return "not fulfilled"  # for a person: who gets the money back?
    # Only an order that the shop has: never make one of an event.
    fulfilled = db.execute(
        """UPDATE shop_order SET fulfilled_by = :quoteId WHERE id = :orderId AND fulfilled_by IS NULL AND cancelled_at IS NULL""",
        {name: data[name] for name in ("quoteId", "orderId")},
    )
    return "fulfilled" if fulfilled.rowcount == 1 else "not fulfilled"


def connect():
    return closing(sqlite3.connect(DATABASE, timeout=5, isolation_level="IMMEDIATE"))


class Receiver(BaseHTTPRequestHandler):
    timeout = 30  # seconds, for a client that sends nothing

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if self.path != "/webhooks/paybell":
            return self.answer(404)
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        event = json.loads(body)
        try:
            with connect() as db, db:  # commits, or rolls back what an exception ends
                word = handle(event, db)
        except sqlite3.Error as error:
            print(f"not stored: {error}", flush=True)
            return self.answer(500)  # Paybell sends it again
        print(f"{word}: {event['type']} {event['data'].get('orderId')}", flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_request(self, code="-", size="-"):
        pass


if __name__ == "__main__":
    with connect() as db, db:
        db.executescript(TABLES)
        orders = filter(None, os.environ.get("ORDERS", "").split(","))
        db.executemany("INSERT OR IGNORE INTO shop_order (id) VALUES (?)", [(order,) for order in orders])
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    print(f"The shop listens at http://127.0.0.1:{PORT}/webhooks/paybell", flush=True)
    server.serve_forever()
