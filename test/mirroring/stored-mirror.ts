/** A mirror as it is stored. */
export const STORED_MIRROR = {
  uid: "u",
  name: "sales-west",
  region: "west",
  sourceRepository: "sales",
  storageNamespace: "s3://sales-west/data",
  branches: { include: [], exclude: [] },
  createdAt: 1,
  createdBy: "admin",
};
