import { buildAssets } from "../scripts/build.mjs";

/** What the browser gets is part of the Worker: it is built before any test loads it. */
export default function setup(): Promise<void> {
  return buildAssets();
}
