/** Lists of the API as tables: searched and paged by the service, so that 100,000 rows are as quick as ten. */

import type { Operations, Pagination } from "@svc-authorizer/contract/management-api.gen.ts";
import type { ComponentChildren } from "preact";
import type { Answer, Input, OperationName } from "../../api/call.ts";
import { useAnswer } from "../../api/hooks.ts";
import { Alert } from "../states/alert.tsx";
import { FEW, ListSearch } from "./list-search.tsx";
import { AMOUNT, Pager } from "./pager.tsx";
import { type Column, Table } from "./table.tsx";
import { useListState } from "./use-list-state.ts";

interface Page<Row = unknown> {
  readonly pagination: Pagination;
  readonly results: Row[];
}

/** Operations that answer pages of a list. */
export type ListOperation = {
  [O in OperationName]: Operations[O]["answer"] extends Page ? O : never;
}[OperationName];

/** A row of a list. */
export type RowOf<O extends ListOperation> = Answer<O> extends Page<infer Row> ? Row : never;

/** Properties of {@link ListTable}. */
export interface ListTableProps<O extends ListOperation> {
  readonly operation: O;
  /** The input of the operation but for search and page. */
  readonly input: Input<O>;
  /** The kind of the rows, such as "users". */
  readonly what: string;
  readonly columns: readonly Column<RowOf<O>>[];
  readonly keyOf: (row: RowOf<O>) => string;
  /** Tells the lists of one page apart in its address. */
  readonly name?: string;
  readonly isSearchable?: boolean;
  /** Rows of a page. */
  readonly amount?: number;
  /** Shown where the list is empty and nobody searched. */
  readonly empty: ComponentChildren;
}

/** Shows a list of the API, one page at a time. */
export function ListTable<O extends ListOperation>(props: ListTableProps<O>) {
  const { operation, input, what, columns, keyOf, name = "", isSearchable = true, empty } = props;
  const { amount = AMOUNT } = props;
  const state = useListState(name);
  const query = {
    ...(input as { readonly query?: object }).query,
    ...(state.search === "" ? {} : { search: state.search }),
    ...(state.after === "" ? {} : { after: state.after }),
    amount,
  };
  const asked = { ...input, query } as Input<O>;
  const { data, error, isFetching, isPlaceholderData } = useAnswer(operation, asked, { keepPrevious: true });
  const page = data as Page<RowOf<O>> | undefined;
  const isWhole = page !== undefined && !page.pagination.has_more && state.after === "";
  return (
    <div class="list">
      {isSearchable && !(name !== "" && isWhole && state.search === "" && page.results.length < FEW) && (
        <ListSearch what={what} state={state} />
      )}
      <Alert error={error} />
      {page !== undefined && (
        <Table
          label={what}
          columns={columns}
          rows={page.results}
          keyOf={keyOf}
          isStale={isPlaceholderData && isFetching}
          empty={
            state.search === "" && state.after === ""
              ? empty
              : page.pagination.has_more
                ? "Nothing found yet: the next page goes on."
                : `None of the ${what} has this text.`
          }
        />
      )}
      {page === undefined && error === null && (
        <p role="status" class="loading">
          Loading {what}…
        </p>
      )}
      {page !== undefined && !isWhole && (
        <Pager what={what} state={state} next={page.pagination.next_offset} isBusy={isFetching} />
      )}
    </div>
  );
}
