/** Policy tests read from files and run: one suite for each test file. */

import { resolve } from "node:path";
import type { PolicyDocument } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { PolicyWorld } from "@svc-authorizer/policy/analysis/files/policy-world.ts";
import { type CaseResult, Coverage, runCase } from "@svc-authorizer/policy/analysis/files/run-tests.ts";
import { casesOf, readTestFile, type TestFile } from "@svc-authorizer/policy/analysis/files/test-file.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import type { Vocabulary } from "@svc-authorizer/policy/model/policy-warnings.ts";
import { QuestionJudge, withDeclaredTypes } from "@svc-authorizer/policy/model/question-judge.ts";
import { readDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import type { CommandContext } from "../command-context.ts";
import { addDocument, addPreconfigured } from "./documents-in-world.ts";
import { findFiles, needPolicies } from "./load-policies.ts";

/** The results of one test file, or the problems that prevent it from running. */
export interface SuiteResult {
  readonly file: string;
  readonly results: readonly CaseResult[];
  readonly problems: readonly Problem[];
  readonly milliseconds: number;
}

/** Number of test cases in which a statement of the tested policies decided. */
export interface StatementCoverage {
  readonly file: string;
  readonly policy: string;
  readonly statement: number;
  readonly sid?: string;
  readonly line?: number;
  readonly hits: number;
}

/** All suites and the statements that they covered. */
export interface TestRun {
  readonly suites: readonly SuiteResult[];
  readonly coverage: readonly StatementCoverage[];
  /** All files that were read. A watch observes them in addition to the folders. */
  readonly files: readonly string[];
}

const TEST_FILES = "**/*.test.{json,yaml,yml}";

/** Policies of one origin, and how often their statements decided. */
interface Tested {
  readonly file: string;
  readonly policy: NamedStatements;
  readonly lines: readonly (number | undefined)[];
  readonly coverages: Coverage[];
}

/** Runs suites and adds up their coverage of the same files. */
class Runner {
  readonly #context: CommandContext;
  readonly #partition: string;
  readonly #tested = new Map<string, Tested>();
  readonly #documents = new Map<string, Promise<readonly PolicyDocument[]>>();
  readonly files = new Set<string>();

  constructor(context: CommandContext, partition: string) {
    this.#context = context;
    this.#partition = partition;
  }

  async run(file: string): Promise<SuiteResult> {
    const start = performance.now();
    this.files.add(file);
    try {
      const results = await this.#runFile(file);
      return { file, results, problems: [], milliseconds: performance.now() - start };
    } catch (error) {
      if (!(error instanceof AuthorizerError) || error.code !== "invalid_request") throw error;
      const problems =
        error.problems.length > 0 ? error.problems : [{ file, pointer: "", message: error.message }];
      return { file, results: [], problems, milliseconds: performance.now() - start };
    }
  }

  async #runFile(file: string): Promise<CaseResult[]> {
    const read = await readDocument(resolve(this.#context.edge.cwd, file), "test");
    if ("problems" in read) throw refused(read.problems.map((problem) => ({ ...problem, file })));
    const source = { ...read.source, file };
    const { schema } = await openCatalog({ partition: this.#partition });
    const form = readTestFile(source, schema("policy-test"));
    if ("problems" in form) throw refused(form.problems);
    const coverage = new Coverage();
    const world = await this.#worldOf(form.file, file, coverage);
    if (world.problems.length > 0) throw refused(world.problems);
    const judge = new QuestionJudge(await this.#vocabularyOf(world));
    const settings = { partition: this.#partition, coverage, judge };
    return casesOf(form.file, source).map((test) => runCase(world, test, settings));
  }

  async #worldOf(form: TestFile, file: string, coverage: Coverage): Promise<PolicyWorld> {
    const world = new PolicyWorld();
    const { resourceTypes } = await openCatalog({ partition: this.#partition });
    world.registered.addTypes(resourceTypes.values());
    if (form.preconfigured === true) await addPreconfigured(world, this.#partition);
    for (const pattern of form.files ?? []) {
      for (const document of await this.#read(resolve(this.#context.edge.cwd, file, "..", pattern))) {
        this.files.add(document.source.file);
        await addDocument(world, document, this.#partition);
        for (const policy of document.policies) this.#note(document, policy, coverage);
      }
    }
    world.addPolicies(form.policies ?? [], file);
    for (const policy of form.policies ?? []) this.#noteInline(file, policy, coverage);
    for (const { name, policies } of form.groups ?? []) world.addGroup(name, policies);
    for (const user of form.users ?? []) world.addUser(user.username, user);
    return world;
  }

  /** The catalog, with the resource types of the data sets that a test names. */
  async #vocabularyOf({ registered: { types } }: PolicyWorld): Promise<Vocabulary> {
    const catalog = await openCatalog({ partition: this.#partition });
    return withDeclaredTypes(
      catalog,
      types.filter((type) => catalog.resourceTypes.get(type.type) !== type),
    );
  }

  #read(pattern: string): Promise<readonly PolicyDocument[]> {
    const known = this.#documents.get(pattern) ?? needPolicies(this.#context, [pattern]);
    this.#documents.set(pattern, known);
    return known;
  }

  #note({ source }: PolicyDocument, policy: PolicyDocument["policies"][number], coverage: Coverage): void {
    const pointers = policy.statement.map((_, index) => `${policy.pointer}/statement/${index}`);
    const places = source.locate(pointers);
    this.#add(
      source.file,
      policy,
      coverage,
      pointers.map((pointer) => places.get(pointer)?.line),
    );
  }

  #noteInline(file: string, policy: NamedStatements, coverage: Coverage): void {
    this.#add(file, policy, coverage, []);
  }

  #add(file: string, policy: NamedStatements, coverage: Coverage, lines: Tested["lines"]): void {
    const key = JSON.stringify([file, policy.name]);
    const known = this.#tested.get(key) ?? { file, policy, lines, coverages: [] };
    known.coverages.push(coverage);
    this.#tested.set(key, known);
  }

  coverage(): StatementCoverage[] {
    return [...this.#tested.values()].flatMap(({ file, policy, lines, coverages }) =>
      policy.statement.map(({ sid }, statement) => {
        const line = lines[statement];
        const hits = coverages.reduce((sum, one) => sum + one.hits(policy.name, statement), 0);
        return {
          file,
          policy: policy.name,
          statement,
          ...(sid === undefined ? {} : { sid }),
          ...(line === undefined ? {} : { line }),
          hits,
        };
      }),
    );
  }
}

function refused(problems: readonly Problem[]): AuthorizerError {
  return new AuthorizerError("invalid_request", "the tests cannot be run", { problems });
}

/**
 * Runs the tests of folders, files and globs.
 * @throws AuthorizerError("invalid_request") where a path names no test file
 */
export async function runSuites(
  context: CommandContext,
  paths: readonly string[],
  partition: string,
): Promise<TestRun> {
  const { files, problems } = await findFiles(context, paths, TEST_FILES);
  if (problems.length > 0)
    throw new AuthorizerError("invalid_request", "there are no such tests", { problems });
  const runner = new Runner(context, partition);
  const suites: SuiteResult[] = [];
  for (const file of files) suites.push(await runner.run(file));
  return { suites, coverage: runner.coverage(), files: [...runner.files] };
}
