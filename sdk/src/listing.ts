// Lists: one page when it is awaited, all rows when it is iterated.

/** What a page of a list has. */
export interface Page {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
  /** Where the next page begins, for `after`; null on the last one. */
  readonly next: string | null;
}

/** A row of such a page. */
export type RowOf<P> = P extends { readonly data: readonly (infer Row)[] } ? Row : never;

/**
 * A list that is asked for when it is used: `await client.listMessages()` is its first page, and
 * `for await (const message of client.listMessages())` all of its rows, page by page.
 */
export class Listing<P extends Page> implements PromiseLike<P>, AsyncIterable<RowOf<P>> {
  readonly #ask: (after?: string) => Promise<P>;

  /** `ask` gets the page after a place, or the first one. */
  constructor(ask: (after?: string) => Promise<P>) {
    this.#ask = ask;
  }

  // A list has a then so that it can be awaited.
  // oxlint-disable-next-line unicorn/no-thenable
  then<Done = P, Refused = never>(
    done?: ((page: P) => Done | PromiseLike<Done>) | null,
    refused?: ((problem: unknown) => Refused | PromiseLike<Refused>) | null,
  ): Promise<Done | Refused> {
    return this.#ask().then(done, refused);
  }

  /** The pages, each asked for when the one before was used. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let page = await this.#ask();
    yield page;
    while (page.has_more && page.next !== null) {
      page = await this.#ask(page.next);
      yield page;
    }
  }

  /** The rows of all pages. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RowOf<P>, void, undefined> {
    for await (const page of this.pages()) yield* page.data as RowOf<P>[];
  }
}
