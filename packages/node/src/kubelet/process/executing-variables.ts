/**
 * Variables that change which code a process runs: the search path, libraries for the dynamic linker, and files that
 * interpreters read before their program. A `*` at the end matches any suffix. `ENV` is not listed: only interactive
 * shells read it, and many programs use it as a setting.
 */
const EXECUTING = [
  'PATH',
  'LD_*',
  'DYLD_*',
  'GCONV_PATH',
  'GLIBC_TUNABLES',
  'LOCPATH',
  'NLSPATH',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
  // Shells.
  'BASH_ENV',
  'BASH_FUNC_*',
  'BASHOPTS',
  'IFS',
  'PROMPT_COMMAND',
  'PS4',
  'SHELLOPTS',
  'ZDOTDIR',
  // Programs that other programs start.
  'BROWSER',
  'EDITOR',
  'GIT_ASKPASS',
  'GIT_CONFIG*',
  'GIT_EDITOR',
  'GIT_EXEC_PATH',
  'GIT_EXTERNAL_DIFF',
  'GIT_PAGER',
  'GIT_PROXY_COMMAND',
  'GIT_SEQUENCE_EDITOR',
  'GIT_SSH*',
  'GIT_TEMPLATE_DIR',
  'LESSOPEN',
  'LESSCLOSE',
  'MANPAGER',
  'PAGER',
  'SHELL',
  'VISUAL',
  // Node.js and compatible runtimes.
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_REPL_EXTERNAL_MODULE',
  'NPM_CONFIG_*',
  'npm_config_*',
  'BUN_OPTIONS',
  'DENO_*',
  'ELECTRON_RUN_AS_NODE',
  // Python.
  'PYTHONBREAKPOINT',
  'PYTHONCASEOK',
  'PYTHONEXECUTABLE',
  'PYTHONHOME',
  'PYTHONINSPECT',
  'PYTHONPATH',
  'PYTHONPLATLIBDIR',
  'PYTHONPYCACHEPREFIX',
  'PYTHONSTARTUP',
  'PYTHONUSERBASE',
  'PYTHONWARNINGS',
  'VIRTUAL_ENV',
  // Java and .NET.
  'CLASSPATH',
  'JAVA_HOME',
  'JAVA_OPTS',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'COR_*',
  'CORECLR_*',
  'COMPlus_*',
  'DOTNET_ADDITIONAL_DEPS',
  'DOTNET_ROOT*',
  'DOTNET_SHARED_STORE',
  'DOTNET_STARTUP_HOOKS',
  // Ruby, Perl, PHP, Lua, Tcl, R, Erlang, Go.
  'BUNDLE_*',
  'GEM_HOME',
  'GEM_PATH',
  'RUBYLIB',
  'RUBYOPT',
  'PERL5DB',
  'PERL5LIB',
  'PERL5OPT',
  'PERLLIB',
  'PHP_INI_SCAN_DIR',
  'PHPRC',
  'LUA_*',
  'TCLLIBPATH',
  'R_ENVIRON*',
  'R_HOME',
  'R_LIBS*',
  'R_PROFILE*',
  'ERL_*',
  'GOFLAGS',
]

/**
 * Where interpreters search for files of the user. It matters only if a process can see the user's files or those of a
 * pod.
 */
const HOME = 'HOME'

/**
 * Returns the first variable of a container that changes what its program executes and that the registration does not
 * allow. `given` contains variables that do not come from the container.
 */
export function refusedVariable(
  asked: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, string>,
  allowed: readonly string[],
  isIsolated: boolean,
): string | undefined {
  for (const [name, value] of asked) {
    if (given.get(name) === value) continue
    const isExecuting = matches(EXECUTING, name) || (name === HOME && !isIsolated)
    if (isExecuting && !matches(allowed, name)) return name
  }
  return undefined
}

function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))
}
