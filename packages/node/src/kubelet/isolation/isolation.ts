import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Program } from '../programs/program.js'
import { type MachineView, type Shown, viewMachine } from './machine-view.js'
import { programFiles } from './program-files.js'
import { SandboxSite, type SandboxSiteOptions } from './sandbox-site.js'
import { findTools, type SandboxTools } from './tools.js'

/** The options of a sandbox that do not depend on the machine. */
export type SandboxRequest = Omit<SandboxSiteOptions, 'tools' | 'view' | 'hidden' | 'files'> & {
  readonly program: Program
  /** The files that its commands start with. */
  readonly executables: readonly string[]
}

interface Machine {
  readonly tools: SandboxTools
  readonly view: MachineView
}

/** Cached, since the abilities of the machine do not change while the process runs. */
let probed: Promise<Machine> | undefined

/** Runs containers in namespaces, isolated from the machine and from each other. */
export class Isolation {
  readonly #tools: SandboxTools
  readonly #view: MachineView
  readonly #hidden: readonly string[]

  private constructor(tools: SandboxTools, view: MachineView, hidden: readonly string[]) {
    this.#tools = tools
    this.#view = view
    this.#hidden = hidden
  }

  /**
   * Checks whether this machine can isolate containers. Throws an error with the reason if it cannot. `hidden` lists
   * directories that no container sees.
   */
  static async probe(hidden: readonly string[]): Promise<Isolation> {
    probed ??= Isolation.#tried()
    const { tools, view } = await probed
    const known = hidden.map((path) => realpath(path).catch(() => path))
    return new Isolation(tools, view, await Promise.all(known))
  }

  static async #tried(): Promise<Machine> {
    if (process.platform !== 'linux')
      throw new Error(`namespaces require Linux, but this machine runs ${process.platform}`)
    const machine = { tools: await findTools(), view: await viewMachine() }
    const directory = await mkdtemp(join(await realpath(tmpdir()), 'orrery-probe-'))
    try {
      await new Isolation(machine.tools, machine.view, []).#try(directory)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
    return machine
  }

  /** Creates a sandbox. */
  async site({ program, executables, ...request }: SandboxRequest): Promise<SandboxSite> {
    const files = await this.#filesOf(program, [process.execPath, ...executables])
    return SandboxSite.make({ ...request, tools: this.#tools, view: this.#view, hidden: this.#hidden, files })
  }

  #filesOf(program: Program, executables: readonly string[]): Promise<readonly Shown[]> {
    const known = this.#view.shown.flatMap(({ source, target }) => [source, target])
    const links = this.#view.links.map(({ path }) => path)
    return programFiles(program, executables, { home: homedir(), hidden: this.#hidden, known: [...known, ...links] })
  }

  /**
   * Starts a program that waits and enters its sandbox with a second one, which covers everything that containers need.
   */
  async #try(directory: string): Promise<void> {
    const { sh } = this.#tools
    const program: Program = { command: [sh] }
    const about = { hostname: 'probe', mounts: [], messagePath: '/dev/termination-log', workingDirectory: '/' }
    const site = await this.site({ ...about, directory, program, executables: [sh] })
    const environment = new Map([['PATH', '/usr/bin:/bin']])
    const onOutput = () => undefined
    const child = await site.start({ command: [sh, '-c', 'read x'], environment, onOutput, hasInput: true })
    try {
      if (child.pid === child.leader) throw new Error('the processes of a sandbox cannot be found in /proc')
      const beside = await site.enter({ command: [sh, '-c', 'exit 42'], environment, onOutput })
      const { exitCode } = await beside.ended
      if (exitCode !== 42) throw new Error('nsenter cannot enter a sandbox')
    } finally {
      child.kill('SIGKILL')
      await child.ended
    }
  }
}
