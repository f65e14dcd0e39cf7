import { find, on } from "./dom.ts";

/** Activity: a hint is added to the search, where the reader may go on typing. */
export function startActivity(): void {
  on("click", "a[data-hint]", (hint, event) => {
    const search = find<HTMLInputElement>("#q");
    if (!search || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    search.value = `${search.value} ${hint.dataset["hint"]}`.trim();
    search.focus();
  });
}
