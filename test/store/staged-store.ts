import { isCheck, type Store } from "../../src/store/port.ts";

/** The store, each commit of which is made as a stage, in as many pieces as it has writes. */
export function stagedStore(store: Store): Store {
  const commit: Store["commit"] = async (asked) => {
    if (isCheck(asked)) return store.commit(asked);
    const { expect = [], reads, put = [], delete: deleted = [], ...subject } = asked;
    const stage = await store.stage!(subject);
    try {
      await stage.add({ put, delete: deleted, ...(reads !== undefined && { reads }) });
      return await stage.commit({ expect });
    } finally {
      await stage.abandon();
    }
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "commit") return commit;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
