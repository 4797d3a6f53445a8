// A server component that shows only what the user may read.
import { filterAllowed } from "@svc-authorizer/client";
import { headers } from "next/headers";
import { arnOf, authorizer, userOf } from "../authorizer.js";

const OBJECTS = ["a", "b", "c"];

export default async function Page() {
  const user = userOf(await headers());
  if (user === undefined) return <p>Who are you?</p>;
  const question = { user, action: "fs:ReadObject", resource: arnOf };
  const shown = await filterAllowed(authorizer(), question, OBJECTS);
  return (
    <ul>
      {shown.map((name) => (
        <li key={name}>{name}</li>
      ))}
    </ul>
  );
}
