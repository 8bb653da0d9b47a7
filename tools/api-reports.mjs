// API reports: what each published entry of each block exports, one file an entry in etc/.
// `npm run api` rewrites those that changed; `-- --check` fails on drift instead.
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor";
import { Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const workspace = workspaceOnDisk();
const checkOnly = process.argv.includes("--check");
const reportFolder = join(workspace.root, "etc");
const scratch = join(workspace.root, ".cache", "api");
const steps = new Steps();

const entries = workspace.packages
  .filter((pack) => pack.isBlock)
  .flatMap((pack) => pack.entries.map((entry) => describeEntry(pack, entry)));

mkdirSync(scratch, { recursive: true });
await steps.run("no report without an entry", orphans);
const configs = entries.map(prepare);
const compilerState = CompilerState.create(configs[0], {
  additionalEntryPoints: configs.slice(1).map((config) => config.mainEntryPointFilePath),
});
for (const [index, config] of configs.entries())
  await steps.run(entries[index].report, () => compare(entries[index], config));
steps.finish();

/** `packages/hooks` and `./node` → `hooks.node.api.md`, from the declarations that the compiler wrote. */
function describeEntry(pack, { subpath, source }) {
  const suffix = subpath === "." ? "" : subpath.slice(1).replaceAll("/", ".");
  const declarations = source.replace("/src/", "/dist/").replace(/\.ts$/, ".d.ts");
  return { pack, report: `${basename(pack.dir)}${suffix}.api.md`, declarations };
}

function prepare({ pack, report, declarations }) {
  const quiet = { logLevel: ExtractorLogLevel.None };
  const shown = { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true };
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(workspace.root, pack.dir, "package.json"),
    configObject: {
      projectFolder: workspace.root,
      mainEntryPointFilePath: join(workspace.root, declarations),
      compiler: { overrideTsconfig: compilerConfig() },
      apiReport: { enabled: true, reportFileName: report, reportFolder, reportTempFolder: scratch },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        extractorMessageReporting: {
          default: shown,
          "ae-missing-release-tag": quiet,
          "ae-undocumented": quiet,
          // A type that only its own package names; the line numbers would change with every edit.
          "ae-forgotten-export": quiet,
        },
        tsdocMessageReporting: { default: quiet },
      },
    },
  });
}

function compilerConfig() {
  return {
    compilerOptions: {
      module: "nodenext",
      moduleResolution: "nodenext",
      target: "es2022",
      lib: ["es2023"],
      types: ["node"],
      strict: true,
      skipLibCheck: true,
    },
    include: [],
    files: entries.map(({ declarations }) => join(workspace.root, declarations)),
  };
}

function compare({ report }, config) {
  const problems = [];
  const result = Extractor.invoke(config, {
    localBuild: !checkOnly,
    compilerState,
    messageCallback(message) {
      if (message.logLevel === ExtractorLogLevel.Error) problems.push(`${report}: ${message.text}`);
      message.handled = true;
    },
  });
  if (checkOnly && result.apiReportChanged)
    problems.push(`etc/${report} is out of date: run npm run api and review it`);
  return problems;
}

function orphans() {
  const known = new Set(entries.map(({ report }) => `etc/${report}`));
  const lost = workspace.files.filter((path) => /^etc\/.+\.api\.md$/.test(path) && !known.has(path));
  if (!checkOnly) for (const path of lost) rmSync(join(workspace.root, path));
  return checkOnly ? lost.map((path) => `${path} belongs to no entry`) : [];
}
