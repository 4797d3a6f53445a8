"""Runs the checks of scim2-tester against the service at argv[1] with the token argv[2], and prints them as JSON."""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

url, token = sys.argv[1:]
client = SyncSCIMClient(Client(base_url=f"{url}/scim/v2", headers={"Authorization": f"Bearer {token}"}))
client.discover()
results = check_server(client)
failed = [
    {"check": result.title, "resource": result.resource_type, "reason": result.reason}
    for result in results
    if result.status is not Status.SUCCESS
]
print(json.dumps({"passed": len(results) - len(failed), "failed": failed}))
