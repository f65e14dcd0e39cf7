import { find, on } from "./dom.ts";

/** The Activity page: a click on a hint adds it to the search, where the reader can continue typing. */
export function startActivity(): void {
  on("click", "a[data-hint]", (hint, event) => {
    const search = find<HTMLInputElement>("#q");
    if (!search || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    search.value = `${search.value} ${hint.dataset["hint"]}`.trim();
    search.focus();
  });
}
