// The command line from a clone, in the folder where npm was called: npm itself changes to the root.
process.chdir(process.env.INIT_CWD ?? process.cwd());
await import(new URL("../apps/runtime/dist/main.js", import.meta.url).href);
