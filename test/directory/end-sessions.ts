import type { Directory } from "../../src/directory/directory.ts";

/** Ends all sessions of a user as a leaked key does: a key of the user is made and deleted. */
export async function endSessionsOf({ credentials }: Directory, username: string): Promise<void> {
  await credentials.create(username, { access_key_id: "AK-GONE", secret_access_key: "s" });
  await credentials.delete(username, "AK-GONE");
}
