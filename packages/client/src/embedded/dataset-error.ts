/** A data set that cannot be used, with everything that is wrong with it. */
export class DatasetError extends Error {
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];

  constructor(problems: DatasetError["problems"]) {
    super(
      [
        "the data set cannot be used",
        ...problems.map(({ pointer, message }) => `${pointer}: ${message}`),
      ].join("\n  "),
    );
    this.name = "DatasetError";
    this.problems = problems;
  }
}
