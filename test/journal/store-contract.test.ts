import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { describeStoreContract } from "../contract/store-contract.ts";
import { openNode, sharedBy } from "./bed.ts";

describeStoreContract("journal over memory", async () => {
  const engine = new MemoryEngine();
  let store = await openNode(sharedBy(engine));
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await openNode(sharedBy(engine));
      return store;
    },
    close: () => store.close(),
  };
});
