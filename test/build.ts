import { buildAssets } from "../scripts/build.mjs";

/** The client's script is part of the Worker, so it is built before any test imports the Worker. */
export default function setup(): Promise<void> {
  return buildAssets();
}
