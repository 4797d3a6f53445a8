"""A small FastAPI application whose objects are protected by svc-authorizer, over OpenID AuthZEN 1.0."""

import os
from typing import Annotated

import httpx
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException

authorizer = httpx.AsyncClient(
    base_url=os.environ["AUTHORIZER_URL"],
    headers={"Authorization": f"Bearer {os.environ['AUTHORIZER_TOKEN']}"},
    timeout=5,
)
app = FastAPI()


def require(action: str):
    """Lets a request through only where the user may do the action on the object.

    Your authentication goes where the header is read; this example believes it.
    """

    async def check(name: str, x_user: Annotated[str | None, Header()] = None) -> None:
        if x_user is None:
            raise HTTPException(401, "authentication required")
        try:
            response = await authorizer.post(
                "/access/v1/evaluation",
                json={
                    "subject": {"type": "user", "id": x_user},
                    "action": {"name": action},
                    "resource": {"type": "arn", "id": f"arn:svc:fs:::repository/data/object/{name}"},
                },
            )
            response.raise_for_status()
            allowed = response.json()["decision"] is True
        except (httpx.HTTPError, ValueError, KeyError) as error:
            # An error is never a permission.
            raise HTTPException(503, "the authorization service does not answer") from error
        if not allowed:
            raise HTTPException(403, f"not allowed to {action}")

    return Depends(check)


@app.delete("/objects/{name}", dependencies=[require("fs:DeleteObject")])
async def delete(name: str) -> dict[str, str]:
    return {"deleted": name}


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "3000"))
    print(f"listening on http://127.0.0.1:{port}", flush=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
