import { createHash } from "node:crypto";

/** How the page looks; light or dark as its reader's system is. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0 0 1.5rem; }
dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 .75rem; overflow: hidden; }
article > header { display: flex; gap: .75rem; padding: .25rem .75rem; background: var(--soft); font-size: .85rem; }
article.inherited { opacity: .75; }
pre { margin: 0; padding: .6rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, monospace; }
article.user pre, article.assistant pre.text { font: inherit; }
img { display: block; max-width: 100%; max-height: 30rem; margin: .6rem .75rem; }
pre.call, pre.result { border-top: 1px solid var(--line); }
details { margin-top: 1.5rem; } summary { cursor: pointer; }
`;

/** Allows this one style, pictures that stand in the page, and nothing else: no script, no connection, no frame, no form. */
export const pagePolicy: string = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(pageStyle).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
