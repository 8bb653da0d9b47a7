/**
 * One line a group: programs, a colon, and what to watch for. `**` textual runner, `*` textual, `-x` a short option,
 * `--long` a long one (its abbreviations too), `--long-` all that begin so, `!word` a word exactly, `+` bundled first word, `=` assignments, `<` runs its
 * input, `>` writes its second operand, `@` takes words from a file `@file`, anything else a word as it stands. A program
 * whose name ends in a version (`python3.11`, `gcc-12`) is looked up without it.
 */
export const programTable: string = `
sh bash dash ash zsh ksh mksh fish csh tcsh pwsh: ** <
busybox toybox: **
sudo doas su env xargs parallel timeout nohup nice time command exec builtin eval trap alias: **
ionice chrt taskset setsid stdbuf unshare chroot nsenter runuser setpriv flock watch strace ltrace: **
unbuffer rlwrap caffeinate faketime proxychains torsocks tmux screen dtach xterm chronic sem coreutils: **
nyc c8 dotenvx tini dumb-init sshpass ifne mispipe pee: **
script ssh dbus-run-session systemd-run catchsegv gdb lldb valgrind perf expect npx bunx uvx pipx entr: **
arch setarch linux32 linux64 i386 x86_64 uname26 numactl cgexec prlimit fakeroot eatmydata pkexec gosu su-exec run0: **
xvfb-run start-stop-daemon run-parts ssh-agent sg newgrp choom uclampset capsh runcon aa-exec cpulimit: **
trickle torify tsocks proxychains4 wine rr hyperfine watchexec nodemon concurrently cross-env env-cmd dotenv: **
flatpak-spawn distrobox toolbox logsave qemu-x86_64 ld-linux.so ld-linux-x86-64.so ld-linux-aarch64.so: **
ld-musl-x86_64.so ld-musl-aarch64.so ldd: **
docker podman kubectl nerdctl firejail bwrap proot at batch crontab open xdg-open start osascript: **
ansible ansible-playbook ansible-console ansible-pull: **
. source unalias set shopt export readonly local declare typeset unset read mapfile readarray let: *
hash enable bind complete compgen umask ulimit getopts return exit shift wait jobs fg bg disown: *
awk gawk mawk nawk sed gsed ed ex vi vim nvim view emacs nano less more sqlite3 psql mysql mariadb mongo mongosh duckdb redis-cli ftp socat: *
mlr bpftrace protoc buf gnuplot sbt lftp exiftool: *
systemctl launchctl reg schtasks powershell cmd telnet tclsh wish bc dc m4: *
find: -exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls -files0-from
fd fdfind: -x -X --exec --exec-batch
rg: --pre --hostname-bin
git: -c -C -O -x -u -o --config-env --exec-path --git-dir --work-tree --upload-pack --receive-pack --exec --extcmd --remote --repo --open-files-in-pager --ext-diff --textconv --output --output-directory --template --namespace config alias bisect filter-branch difftool mergetool foreach hook daemon instaweb send-email web--browse help shell svn p4 cvsserver http-backend upload-pack receive-pack credential maintenance merge-index remote-ext remote-fd for-each-repo bundle bugreport diagnose credential-store credential-cache submodule--helper --export-marks
tar gtar bsdtar: -I -F -T --files-from --use-compress-program --to-command --checkpoint-action --rsh-command --info-script --new-volume-script --rmt-command +
rsync: -e -M --rsh --rsync-path --remote-option
scp sftp: -o -S -F -D -J
curl: -K -o -O -J -c -D -w --config --output --remote-name --remote-name-all --remote-header-name --output-dir --engine --cookie-jar --dump-header --write-out --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl --ssl-sessions --expand-
wget: -e -O -i -o -a -P --execute --use-askpass --output-document --output-file --append-output --directory-prefix --save-cookies --warc-file --config --rejected-log --hsts-file
dd: =
file: -C --compile
tcpdump: -z -w -G --postrotate-command
nmap: -o -sC -A --script --datadir
python python2 python3 pypy pypy3: < - -c -m -i
node nodejs: < - -e -p -r -C --eval --print --require --import --loader --experimental-loader --env-file --run !--test-reporter !--test-reporter-destination !--test-global-setup !--experimental-config-file !--experimental-default-config-file !--openssl-config !--redirect-warnings !--tls-keylog !--inspect !--inspect-brk !--inspect-wait !--inspect-port !--snapshot-blob !--build-snapshot !--build-snapshot-config !--cpu-prof-dir !--heap-prof-dir !--diagnostic-dir !--report-dir !--report-directory !--trace-event-file-pattern !--experimental-sea-config
deno: < - eval repl --import-map --config --preload
bun: < - -e -p -r --eval --print --preload --config x exec
perl: < - -e -E -M -m -I -x -d -s -i -n -F
ruby: < - -e -r -I -x -X -n -p -C
php: < - -r -d -B -R -E -F -c -z -S -a --run --process-begin --process-code --process-file --process-end --define --zend-extension --server
julia: < - -e -E -L -i -J --eval --print --load --sysimage
R Rscript octave: < - -e -f --eval --args
elixir iex mix: -e -r -S --eval --erl --require --rpc-eval
erl: -eval -run -s -boot -config -args_file -remsh
ghc ghci runghc runhaskell stack cabal: -e -F -pgmF -x exec run repl runghc ghci @
groovy scala kotlin clojure clj bb racket guile sbcl ocaml raku crystal nim swift: < - -e -i -r -l -M -X --eval --load eval exec
lua luajit: < - -e -l -i
java: -jar -agentlib -agentpath -javaagent -XX:OnError -XX:OnOutOfMemoryError -XX:Flags -XX:VMOptionsFile @
javac javadoc kotlinc scalac: -processor -processorpath --processor-path -plugin -doclet -docletpath -J-javaagent -Xplugin @
mvn mvnw: -D -f -s -t -l -b --file --settings --global-settings --toolchains --log-file --builder exec:exec exec:java
gradle gradlew: -I -D -P -b -c -p -g --init-script --build-file --settings-file --project-dir --gradle-user-home --include-build --project-prop --system-prop
ant: -f -D -lib -buildfile -file -logger -listener -inputhandler -propertyfile
bazel bazelisk: run --bazelrc --run_under --script_path --output_base
npm pnpm yarn: !--onload-script !--config !--git !--node-gyp !--browser !--viewer !--cwd !--use-yarnrc !--pnpmfile !--global-pnpmfile exec exe x dlx create crea creat init ini inni innit explore explo explor edit config conf confi c set --node-options --script-shell --prefix --dir --userconfig --globalconfig -C
make gmake bmake ninja just rake: -C -f -I -E --eval --file --makefile --directory --include-dir --shell =
cargo: -C --config --manifest-path --target-dir --logfile --artifact-dir --out-dir --open
go: -C -exec -toolexec -overlay -vettool -modfile -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace !-o !-w -ldflags -gcflags -asmflags -gccgoflags -compiler -pkgdir -test.outputdir -test.coverprofile -test.cpuprofile -test.memprofile -test.blockprofile -test.mutexprofile -test.trace -test.gocoverdir -test.testlogfile -test.fuzzcachedir tool
cc gcc g++ c++ clang clang++: -B -fplugin -wrapper -specs -o -load -Xclang @
nm ar ranlib ld gold objdump objcopy readelf size strip as addr2line: --plugin -plugin -T -o @
rustc rustdoc: -C -Z -o --codegen --test-builder --out-dir @
pytest py.test: -p -c -o --config-file --rootdir --confcutdir --override-ini --basetemp --pdbcls --junit-xml --junitxml --report-log --log-file --debug --cov-report --cov-config --tx --px --ds --html --json-report-file @
eslint jest mocha vitest prettier stylelint tsc webpack vite rollup: -c -f -o -r -p -n @ --config --format --formatter --parser --plugin --rulesdir --resolve-plugins-relative-to --require --import --loader --output-file --outDir --outFile --project --globalSetup --setupFiles --reporter --reporters --transform --env --environment --runner --testRunner --testEnvironment --test-environment --setup-files --setupFilesAfterEnv --setupTestFrameworkScriptFile --global-setup --globalTeardown --global-teardown --preset --resolver --snapshot- --snapshotResolver --snapshotSerializers --snapshotEnvironment --testSequencer --test-sequencer --testResultsProcessor --filter --root --rootDir --root-dir --roots --projects --dependencyExtractor --haste --moduleNameMapper --modulePaths --watchPlugins --prettierPath !--coverageDirectory --cacheDirectory --cache-directory --cache-location --cache-file --globals --node-option --file --init --inspect-config --pool --pool-options --execArgv --exec-argv --diff --sequence --dir !--typecheck.checker !--coverage.customProviderModule !--coverage.custom-provider-module !--coverage.reportsDirectory !--coverage.reports-directory --attachmentsDir --attachments-dir --generateTrace --generateCpuProfile --declarationDir --tsBuildInfoFile
playwright cypress ava tap karma wdio: -c -C -r --config --config-file --reporter --require --node-arguments --before --after --import --project -P --browser --output
babel swc postcss oxlint biome knip parcel tsup sass svelte-check vue-tsc markdownlint markdownlint-cli2: -c -o -r -u --config --config-file --config-path --plugin --plugins --presets --rules --use --out-file --out-dir --output --fix --dir --preprocess
nx turbo lerna lage: run exec run-many affected watch --cwd --root
mypy: --config-file --python-executable --custom-typeshed-dir --plugins --cache-dir --junit-xml --any-exprs-report --html-report --txt-report --xml-report --shadow-file @
pylint flake8 bandit isort: -c --init-hook --load-plugins --rcfile --config --append-config --enable-extensions --require-plugins --output --output-file --settings-path --tee -o @
tox nox: -c -f -x -e --conf --override --noxfile --root --workdir --result-json
coverage: run -m --rcfile --data-file
pre-commit: try-repo -c --config
sphinx-build mkdocs: -c -D -f -b --config-file --conf-dir
rubocop rspec cucumber: -r -I -O -o -c --require --options --config --out --plugin --format -f --server
phpunit phpstan psalm phpcs pest: -c -a -d --bootstrap --configuration --printer --extension --autoload-file --plugin --config --log-junit --standard --runtime-set --debug
composer: exec run-script run -d --working-dir config global
dotnet: run exec tool --settings --test-adapter-path -s -a -p --property --logger -l
cppcheck clang-tidy: --addon --rule-file --cppcheck-build-dir --output-file --load -load --config-file --export-fixes --clang-tidy --project -p
golangci-lint tflint ansible-lint: -c custom --config --rulesdir -r --cpu-profile-path --mem-profile-path --trace-path --plugin-dir
tsx ts-node: < - -e -p -r -C -I -i --eval --print --require --import --loader --compiler
cmake ctest: -P -E -C -S -SP --toolchain
pandoc: -F -L -o --filter --lua-filter --output --pdf-engine
tex latex pdflatex xelatex lualatex: -shell-escape -enable-write18 -output-directory
gh: alias extension ext config codespace cs
brew: exec sh ruby irb edit --cmd -c -e
helm: --post-renderer plugin
terraform tofu: -chdir -plugin-dir -out -state -state-out -backup -backend-config console
gpg gpg2: -o --output
ssh-keygen: -D -w -f
ssh-add: -s -S
diff3 sdiff: -o --diff-program --output
cpio pax: -F -O --rsh-command --file
install: --strip-program
patch: -o -r --output --reject-file
shuf iconv: -o --output
tree: -o -R
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
