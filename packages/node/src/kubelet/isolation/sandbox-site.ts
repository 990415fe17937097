import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { Readable } from 'node:stream'
import { CREATE_ERROR, NotStarted, RUN_ERROR } from '../container/not-started.js'
import { GroupProcess } from '../os/child-process.js'
import { removeTree } from '../os/remove-tree.js'
import { ROOT_VARIABLE } from '../os/strays.js'
import type { ContainerSite, SiteCommand } from './container-site.js'
import { innerProcessOf } from './inner-process.js'
import type { MachineView, Shown } from './machine-view.js'
import { readMounts } from './mount-table.js'
import { isWithin } from './program-files.js'
import { READY, runScript } from './run-script.js'
import {
  readOnlyToolScript,
  type SandboxMount,
  STAGING,
  setupScript,
  stagedVolume,
  volumeScript,
} from './setup-script.js'
import { type SandboxTools, TOOL_PATH } from './tools.js'

export interface SandboxSiteOptions {
  readonly tools: SandboxTools
  readonly view: MachineView
  /** The directory of the container on the machine. */
  readonly directory: string
  readonly hostname: string
  /** Files of the machine to show besides those that every sandbox shows. */
  readonly files: readonly Shown[]
  /** Directories of the machine that the sandbox never shows. */
  readonly hidden: readonly string[]
  readonly mounts: readonly SandboxMount[]
  /** The path of the termination message in the container. */
  readonly messagePath: string
  /** The working directory in the container. */
  readonly workingDirectory: string
  /** Device files of the machine besides those that every sandbox shows. Defaults to none. */
  readonly devices?: readonly string[]
  /** Whether its processes end when the node is killed. Defaults to false: the next start of the node ends them. */
  readonly endsWithNode?: boolean
}

const HOME = '/root'
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty']
const DIRECTORIES = ['/dev/pts', '/dev/shm', '/etc', '/proc', '/run', '/tmp', '/var/tmp', HOME, `${STAGING}/old`]
const LINKS = [
  ['/dev/fd', '/proc/self/fd'],
  ['/dev/stdin', '/proc/self/fd/0'],
  ['/dev/stdout', '/proc/self/fd/1'],
  ['/dev/stderr', '/proc/self/fd/2'],
  ['/dev/ptmx', 'pts/ptmx'],
  ['/var/run', '/run'],
] as const
/**
 * The namespaces of a sandbox. It shares the network of the machine: pods reach the API server and are reached at the
 * machine's address.
 */
const NAMESPACES = ['--user', '--mount', '--pid', '--ipc', '--uts']

/**
 * A container in its own namespaces: it has its volumes at their mount paths, sees only those files of the machine that
 * a program needs to run, and sees no processes but its own. When the first process ends, the others end too.
 */
export class SandboxSite implements ContainerSite {
  readonly isIsolated = true
  readonly root = '/'
  readonly home = HOME
  readonly messagePath: string
  readonly messageFile: string
  readonly #options: SandboxSiteOptions
  readonly #root: string
  /** The program, and process 1 of its namespaces. */
  #running: { readonly process: GroupProcess; readonly init: number } | undefined

  private constructor(options: SandboxSiteOptions) {
    this.#options = options
    this.#root = join(options.directory, 'root')
    this.messagePath = options.messagePath
    this.messageFile = join(options.directory, 'termination-log')
  }

  /** Creates the sandbox with a new root, since the writable layer of a container does not survive a restart. */
  static async make(options: SandboxSiteOptions): Promise<SandboxSite> {
    const site = new SandboxSite(options)
    const root = site.#root
    await removeTree(root)
    for (const path of DIRECTORIES) await mkdir(join(root, path), { recursive: true })
    for (const path of site.#devices) await writeFile(join(root, path), '')
    for (const [path, target] of LINKS) await symlink(target, join(root, path))
    for (const { path, target } of options.view.links) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await symlink(target, join(root, path))
    }
    for (const path of options.view.copies) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      // Skip unreadable files and dangling links.
      await copyFile(path, join(root, path)).catch(() => undefined)
    }
    for (const { target, isDirectory } of [...options.view.shown, ...options.files]) {
      await mkdir(isDirectory ? join(root, target) : dirname(join(root, target)), { recursive: true })
      if (!isDirectory) await writeFile(join(root, target), '', { flag: 'a' })
    }
    for (const [index, { isFile = false }] of [...options.mounts, site.#messageMount].entries()) {
      const staged = join(root, stagedVolume(index))
      await mkdir(isFile ? dirname(staged) : staged, { recursive: true })
      if (isFile) await writeFile(staged, '')
    }
    await writeFile(site.messageFile, '')
    return site
  }

  place(path: string): string {
    return posix.resolve('/', path)
  }

  rewrite(text: string): string {
    return text
  }

  async keep(name: string, text: string): Promise<string> {
    const path = posix.join(STAGING, name)
    await writeFile(join(this.#root, path), text, { mode: 0o600 })
    return path
  }

  async start(wanted: SiteCommand): Promise<GroupProcess> {
    const { tools, view, files, hidden, mounts, hostname, workingDirectory, directory } = this.#options
    checkTexts(wanted)
    const shown = [...view.shown, ...files]
    const volumes = [...mounts, this.#messageMount]
    const setup = setupScript(
      {
        root: this.#root,
        hostname,
        shown,
        masked: maskedIn(shown, hidden),
        mounts: volumes,
        devices: this.#devices,
        kernelFiles: view.kernelFiles,
        table: await readMounts(),
      },
      tools,
    )
    const { command, environment, onOutput, hasInput = false } = wanted
    const run = runScript(
      { command, environment: this.#seen(environment), directory: workingDirectory, isMain: true, hasInput },
      tools,
    )
    let early = ''
    let isReady = false
    const bound = this.#options.endsWithNode === true ? [tools.setpriv, '--pdeathsig', 'KILL', '--'] : []
    const unshare = [tools.unshare, ...NAMESPACES, '--map-root-user', '--fork', '--kill-child', '--', tools.sh, '-s']
    const child = await launch({
      command: [...bound, ...unshare],
      // The next start of the node finds leftover processes of the sandbox by this variable.
      environment: new Map([...CLEAN, [ROOT_VARIABLE, this.#root]]),
      directory,
      flow: wanted.flow,
      onOutput(stream, piece) {
        if (!isReady && early.length < MAX_PROBLEM) early += piece.toString('utf8')
        return onOutput(stream, piece)
      },
      descriptors: [
        { text: setup },
        'output',
        'output',
        hasInput ? 'input' : 'nothing',
        { text: run },
        'report',
        { text: volumeScript(volumes, tools) },
      ],
      isWrapped: true,
    })
    // A pod can replace a tool by a program that never ends.
    const limit = setTimeout(() => child.kill('SIGKILL'), MAX_SETUP)
    const problem = await problemIn(child.report)
    clearTimeout(limit)
    if (problem !== undefined) {
      child.kill('SIGKILL')
      await child.ended
      throw problemOf(command[0] ?? '', problem || early.trim() || 'the sandbox ended during setup')
    }
    isReady = true
    const inner = await innerProcessOf(child.leader)
    if (inner !== undefined) child.standFor(inner)
    // The leader cannot be used instead: it is in the upper user namespace.
    this.#running = inner && { process: child, init: inner.init }
    return child
  }

  /**
   * Joins the namespaces of the program without its privileges over them. The process only passes through the upper
   * user namespace, which owns some of the others: the first executable of the container, which the pod may have
   * replaced, runs in the lower one. For a moment the joining tool is a process of the container, which can open its
   * executable as `/proc/PID/exe` and write to it if the node runs as root. Therefore the tool runs from a read-only
   * mount.
   */
  async enter(wanted: SiteCommand): Promise<GroupProcess> {
    const { tools, workingDirectory, directory } = this.#options
    const running = this.#running
    if (running?.process.isRunning !== true) throw new NotStarted(RUN_ERROR, 'the container is not running')
    checkTexts(wanted)
    const { command, environment, onOutput, hasInput = false, hasReport = false } = wanted
    const run = runScript(
      { command, environment: this.#seen(environment), directory: workingDirectory, isMain: false, hasInput },
      tools,
    )
    const joining = (target: number, ...namespaces: string[]) => [
      tools.nsenter,
      ...[`--target=${target}`, '--preserve-credentials', ...namespaces, '--'],
    ]
    const upper = joining(running.process.leader, '--user')
    const guarded = [tools.unshare, '--mount', '--', tools.sh, '-c', readOnlyToolScript(tools.nsenter, tools), tools.sh]
    const lower = joining(running.init, '--user', '--mount', '--ipc', '--uts', '--pid')
    const unprivileged = [
      tools.setpriv,
      '--no-new-privs',
      '--bounding-set=-all',
      '--inh-caps=-all',
      '--',
      tools.sh,
      '-s',
    ]
    return launch({
      command: [...upper, ...guarded, ...lower, ...unprivileged],
      environment: CLEAN,
      directory,
      flow: wanted.flow,
      onOutput,
      descriptors: [
        { text: run },
        'output',
        'output',
        hasInput ? 'input' : 'nothing',
        ...(hasReport ? (['report'] as const) : []),
      ],
    })
  }

  get #devices(): readonly string[] {
    return [...DEVICES, ...(this.#options.devices ?? [])]
  }

  get #messageMount(): SandboxMount {
    return { source: this.messageFile, subPath: '', mountPath: this.messagePath, readOnly: false, isFile: true }
  }

  #seen(environment: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    return new Map([...environment, [ROOT_VARIABLE, this.root]])
  }
}

/** Returns the paths at which hidden directories would be visible below something shown, under any name. */
function maskedIn(shown: readonly Shown[], hidden: readonly string[]): readonly string[] {
  const found = shown.flatMap(({ source, target }) =>
    hidden.filter((path) => isWithin(source, path)).map((path) => posix.join(target, posix.relative(source, path))),
  )
  return [...new Set(found)]
}

/** The environment of the process that creates a sandbox. It contains nothing from the pod. */
const CLEAN: ReadonlyMap<string, string> = new Map([['PATH', TOOL_PATH]])

async function launch(options: Parameters<typeof GroupProcess.start>[0]): Promise<GroupProcess> {
  try {
    return await GroupProcess.start(options)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new NotStarted(CREATE_ERROR, `failed to make a sandbox: ${code}`)
  }
}

/** Neither arguments nor variables can contain a NUL character. */
function checkTexts({ command, environment }: SiteCommand): void {
  const texts = [...command, ...environment.keys(), ...environment.values()]
  if (!texts.some((text) => text.includes('\0'))) return
  throw new NotStarted(RUN_ERROR, 'an argument or a variable of the container contains a NUL character')
}

/** The maximum size of a setup error. */
const MAX_PROBLEM = 4_096
/**
 * The time limit for the setup of a sandbox, in milliseconds. It is needed because the node starts a limited number of
 * containers at a time.
 */
const MAX_SETUP = 10_000

/**
 * Returns the error that prevented the setup of a sandbox, or undefined once its program is running. An empty error
 * means that no shell started; then the tool that creates the namespaces has printed the reason.
 */
async function problemIn(report: Readable | undefined): Promise<string | undefined> {
  let text = ''
  for await (const piece of report ?? []) {
    text += String(piece)
    if (text.endsWith(`${READY}\n`)) return undefined
    if (text.length > MAX_PROBLEM) return text.slice(0, MAX_PROBLEM).trim()
  }
  return text.trim()
}

const NOT_FOUND = ': executable file not found'

function problemOf(name: string, problem: string): NotStarted {
  if (problem.endsWith(NOT_FOUND)) {
    return new NotStarted(RUN_ERROR, `failed to start ${JSON.stringify(name)}: not found in the container`)
  }
  const line = problem.split('\n').at(-1) ?? ''
  return new NotStarted(CREATE_ERROR, `failed to make a sandbox: ${line}`)
}
