// A route handler that only those reach who may delete the object.
import { requirePermission } from "@svc-authorizer/client/hono";
import { arnOf, authorizer, userOf } from "../../../authorizer.js";

// The guard of Hono takes whatever its functions read: here the request and its parameters.
const guard = requirePermission(
  { check: (question) => authorizer().check(question) },
  {
    action: "fs:DeleteObject",
    resource: ({ name }) => arnOf(name),
    user: ({ request }) => userOf(request.headers),
  },
);

export async function DELETE(request, { params }) {
  const { name } = await params;
  const refusal = await guard({ request, name }, async () => {});
  return refusal ?? Response.json({ deleted: name });
}
