// What is loaded behind the first paint: everything about one row, the keys of the tree, and the way through the log's time.
export { foldAway } from "../state/fold-away.ts";
export { asOf } from "../state/time-order.ts";
export { Footer } from "./footer.tsx";
export { Inspector } from "./inspector.tsx";
export { openAround, openFolded } from "./open-folded.ts";
export { moveInTree } from "./tree-keys.ts";
