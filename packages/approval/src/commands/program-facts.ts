/** What is known of a program's ways to run something else, or to write where no redirection shows it. */
export interface ProgramFacts {
  /** Its words are program text or name other programs: only a rule that spells every word covers it. */
  readonly textual: boolean;
  /** Words of its own name the program it starts. */
  readonly runner: boolean;
  readonly long: readonly string[];
  readonly short: ReadonlySet<string>;
  /** Options of several letters after one dash, and subcommands. */
  readonly words: ReadonlySet<string>;
  /** Its first word is a bundle of short options with or without a dash. */
  readonly bundle: boolean;
  /** A word `NAME=value` sets what it runs. */
  readonly assigns: boolean;
  /** It runs what it reads from its input when no word names a file. */
  readonly readsInput: boolean;
  /** A second word that is no option names a file that it overwrites. */
  readonly writesSecond: boolean;
}

/**
 * One line a group: programs, a colon, and what to watch for. `**` textual runner, `*` textual, `-x` a short option,
 * `--long` a long one (its abbreviations too), `+` bundled first word, `=` assignments, `<` runs its
 * input, `>` writes its second operand, anything else a word as it stands. A program whose name ends in a version
 * (`python3.11`, `gcc-12`) is looked up without it.
 */
const TABLE = `
sh bash dash ash zsh ksh mksh fish csh tcsh pwsh: ** <
busybox toybox: **
sudo doas su env xargs parallel timeout nohup nice time command exec builtin eval trap alias: **
ionice chrt taskset setsid stdbuf unshare chroot nsenter runuser setpriv flock watch strace ltrace: **
unbuffer rlwrap caffeinate faketime proxychains torsocks tmux screen dtach xterm chronic sem coreutils: **
script ssh dbus-run-session systemd-run catchsegv gdb lldb valgrind perf expect npx bunx uvx pipx entr: **
setarch linux32 linux64 i386 x86_64 uname26 numactl cgexec prlimit fakeroot eatmydata pkexec gosu su-exec run0: **
xvfb-run start-stop-daemon run-parts ssh-agent sg newgrp choom uclampset capsh runcon aa-exec cpulimit: **
trickle torify tsocks proxychains4 wine rr hyperfine watchexec nodemon concurrently cross-env env-cmd dotenv: **
flatpak-spawn distrobox toolbox logsave qemu-x86_64 ld-linux.so ld-linux-x86-64.so ld-linux-aarch64.so: **
ld-musl-x86_64.so ld-musl-aarch64.so ldd: **
docker podman kubectl nerdctl firejail bwrap proot at batch crontab open xdg-open start osascript: **
. source unalias set shopt export readonly local declare typeset unset read mapfile readarray let: *
hash enable bind complete compgen umask ulimit getopts return exit shift wait jobs fg bg disown: *
awk gawk mawk nawk sed gsed ed ex vi vim nvim view emacs nano less more sqlite3 psql mysql mariadb mongo mongosh duckdb redis-cli ftp socat: *
systemctl launchctl reg schtasks powershell cmd telnet tclsh wish bc dc m4: *
find: -exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from
fd fdfind: -x -X --exec --exec-batch
rg: --pre --hostname-bin
git: -c -C -O -x -u -o --config-env --exec-path --git-dir --work-tree --upload-pack --receive-pack --exec --extcmd --remote --repo --open-files-in-pager --ext-diff --textconv --output --output-directory --template --namespace config alias bisect filter-branch difftool mergetool foreach hook daemon instaweb send-email web--browse help shell svn p4 cvsserver http-backend upload-pack receive-pack credential maintenance merge-index remote-ext remote-fd for-each-repo
tar gtar bsdtar: -I -F -T --files-from --use-compress-program --to-command --checkpoint-action --rsh-command --info-script --new-volume-script --rmt-command +
rsync: -e -M --rsh --rsync-path --remote-option
scp sftp: -o -S -F -D -J
curl: -K -o -O -J -c -D -w --config --output --remote-name --remote-name-all --remote-header-name --output-dir --engine --cookie-jar --dump-header --write-out --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl --ssl-sessions
wget: -e -O -i -o -a -P --execute --use-askpass --output-document --output-file --append-output --directory-prefix --save-cookies --warc-file --config
dd: =
file: -C --compile
tcpdump: -z -w -G --postrotate-command
nmap: -o -sC -A --script --datadir
python python2 python3 pypy pypy3: < - -c -m -i
node nodejs: < - -e -p -r -C --eval --print --require --import --loader --experimental-loader --env-file --run
deno: < - eval repl --import-map --config --preload
bun: < - -e -p -r --eval --print --preload --config x exec
perl: < - -e -E -M -m -I -x -d -s -i -n
ruby: < - -e -r -I -x -n -p -C
php: < - -r -d -B -R -E -F -c
lua luajit: < - -e -l -i
java: -jar -agentlib -agentpath -javaagent
npm pnpm yarn: exec exe x dlx create crea creat init ini inni innit explore explo explor edit config conf confi c set --node-options --script-shell --prefix --dir --userconfig --globalconfig -C
make gmake bmake ninja just rake: -C -f -I -E --eval --file --makefile --directory --include-dir --shell =
cargo: -C --config --manifest-path --target-dir
go: -C -exec -toolexec -overlay -vettool -modfile -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace
cc gcc g++ c++ clang clang++: -B -fplugin -wrapper -specs -o
rustc rustdoc: -C -Z -o --codegen --test-builder --out-dir
pytest py.test: -p -c -o --config-file --rootdir --confcutdir --override-ini --basetemp --pdbcls --junit-xml --junitxml --report-log --log-file --debug --cov-report
eslint jest mocha vitest prettier stylelint tsc webpack vite rollup: -c -f -o -r -p --config --format --formatter --parser --plugin --rulesdir --resolve-plugins-relative-to --require --import --loader --output-file --outDir --outFile --project --globalSetup --setupFiles --reporter --reporters --transform --env --environment --runner --testRunner
tsx ts-node: < - -e -p -r -C -I -i --eval --print --require --import --loader --compiler
cmake ctest: -P -E -C -S -SP --toolchain
pandoc: -F -L -o --filter --lua-filter --output --pdf-engine
tex latex pdflatex xelatex lualatex: -shell-escape -enable-write18 -output-directory
gh: alias extension ext
helm: --post-renderer plugin
gpg gpg2: -o --output
ssh-keygen: -D -w -f
ssh-add: -s -S
diff3 sdiff: -o --diff-program --output
cpio pax: -F -O --rsh-command --file
install: --strip-program
patch: -o -r --output --reject-file
shuf iconv tree: -o --output
yq: -i --inplace --in-place
uniq xxd: >
sort: -o --compress-program --output
split: --filter
zip: -T -TT --unzip-command
man: -P -H -X -C --pager --html --config-file --preprocessor
nc ncat netcat: -e -c --exec --sh-exec --lua-exec
ip: exec -b -batch
openssl: -engine -provider -out
printf: -v
test [: -v -R
uv poetry pipenv bundle mise direnv nix asdf rbenv pyenv conda mamba hatch pdm rye volta corepack: run exec shell develop x tool --command -c
nix-shell: --run --command --expr -E
apt apt-get dpkg: -o -c --option --config-file --pre-invoke --post-invoke
pip pip3: --python --config-settings --global-option --install-option
jq: -f --from-file -L
tee: *
`;

/** Long options that mean the same danger whatever the program. */
const COMMON =
  "--exec --exec-batch --execute --command --cmd --eval --rsh --shell --shell-command --init-file --rcfile --preload " +
  "--use-compress-program --to-command --checkpoint-action --pager --editor --upload-pack --receive-pack --ssh-command";
const common = COMMON.split(" ");
const plainFacts = factsOf("");
const known = new Map(
  TABLE.trim()
    .split("\n")
    .flatMap((line) => {
      const [programs = "", watched = ""] = line.split(/:(?= )/);
      return programs.split(" ").map((program) => [program, factsOf(watched)] as const);
    }),
);

/** The facts of a program by its name without folders. */
export function programFacts(program: string): ProgramFacts {
  const name = programName(program);
  return known.get(name) ?? known.get(name.replace(/[-_.]?\d[\d.]*$/, "")) ?? plainFacts;
}

/** A program without its folders. */
export function programName(program: string): string {
  return program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1);
}

/** True for `git` and the programs it is made of. */
export function isGit(program: string): boolean {
  return /^git(?:-|$)/.test(programName(program));
}

/** True when a word at a position after the program may make it run something that no word names. */
export function runsSomething(facts: ProgramFacts, word: string, position: number): boolean {
  const [name = ""] = word.split("=", 1);
  if (facts.words.has(word) || facts.words.has(name)) return true;
  if (word.startsWith("--")) return isLong(facts, name) || facts.words.has(name.slice(1));
  if (facts.assigns && !word.startsWith("-") && name !== word) return true;
  return isLongAfterOneDash(facts, name) || holdsShort(facts, word, position);
}

function holdsShort(facts: ProgramFacts, word: string, position: number): boolean {
  const bundled = facts.bundle && position === 1;
  if (!bundled && !/^-./.test(word)) return false;
  return Array.from(word).some((letter) => facts.short.has(letter));
}

/** Also what programs take as an abbreviation. */
function isLong(facts: ProgramFacts, option: string): boolean {
  if (option === "--") return false;
  return [...facts.long, ...common].some((watched) => watched.startsWith(option));
}

/** Some programs (npm, go) take long options after one dash, too. Fewer than four letters are short ones in a bundle. */
function isLongAfterOneDash(facts: ProgramFacts, name: string): boolean {
  return /^-[^-]{4}/.test(name) && facts.long.some((watched) => watched.startsWith(`-${name}`));
}

function factsOf(watched: string): ProgramFacts {
  const tokens = watched.split(" ").filter((token) => token !== "");
  return {
    textual: tokens.includes("*") || tokens.includes("**"),
    runner: tokens.includes("**"),
    long: tokens.filter((token) => token.startsWith("--")),
    short: new Set(tokens.filter((token) => /^-[^-]$/.test(token)).map((token) => token[1]!)),
    words: new Set(tokens.filter((token) => /^-[^-]./.test(token) || /^(?:\w|-$)/.test(token))),
    bundle: tokens.includes("+"),
    assigns: tokens.includes("="),
    readsInput: tokens.includes("<"),
    writesSecond: tokens.includes(">"),
  };
}
