import { join, posix } from 'node:path'
import type { Container, Pod } from '@orrery/kinds'
import type { CommandRunner } from '../container/live.js'
import { NotStarted, RUN_ERROR } from '../container/not-started.js'
import type { ContainerSite } from '../isolation/container-site.js'
import type { Isolation } from '../isolation/isolation.js'
import type { SandboxMount } from '../isolation/setup-script.js'
import { baseEnvironment, type Environment, type GroupProcess } from '../os/child-process.js'
import { findExecutable } from '../os/executable.js'
import type { EnteringStreams, ProcessStreams } from '../os/output.js'
import type { Program } from '../programs/program.js'
import type { VolumePlace } from '../volumes/pod-volumes.js'
import { allowedCommand, commandOf, type ProgramCommand } from './command.js'
import { ContainerRoot, MESSAGE_PATH } from './container-root.js'
import { type EnvironmentSources, environmentOf } from './environment.js'
import { refusedVariable } from './executing-variables.js'
import { OpenSite } from './open-site.js'
import { subPathOf } from './subpath.js'

export interface WorkspaceOptions {
  readonly pod: Pod
  readonly container: Container
  readonly program: Program
  /** Where everything of the container is kept. */
  readonly directory: string
  /** Where the pod's volumes are, by name. */
  readonly places: ReadonlyMap<string, VolumePlace>
  readonly sources: EnvironmentSources
  /** Where the API server is reached: `https://127.0.0.1:6443`; undefined when it is not. */
  readonly server: string | undefined
  /** The way to run it apart from the machine; undefined when the machine has none. */
  readonly isolation: Isolation | undefined
}

export const SERVICE_ACCOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'

/** What the processes of a container are given to work with: files, variables, and the commands they may run. */
export class Workspace implements CommandRunner {
  readonly #options: WorkspaceOptions
  readonly #site: ContainerSite
  /** What the container has before it says what it wants: what a registered command is looked for with. */
  readonly #given: ReadonlyMap<string, string>
  readonly #environment: Environment

  private constructor(
    options: WorkspaceOptions,
    site: ContainerSite,
    given: ReadonlyMap<string, string>,
    environment: Environment,
  ) {
    this.#options = options
    this.#site = site
    this.#given = given
    this.#environment = environment
  }

  /** Lays everything out. Throws `NotStarted` when something is missing or not allowed. */
  static async make(options: WorkspaceOptions): Promise<Workspace> {
    const { pod, container, program, sources, isolation } = options
    const isIsolated = isolation !== undefined && program.isolated !== false
    const home = isIsolated ? '/root' : join(options.directory, 'root')
    const given = baseEnvironment(pod.metadata.name, home)
    for (const [name, value] of serverVariables(options.server)) given.set(name, value)
    for (const [name, value] of Object.entries(program.env ?? {})) given.set(name, value)
    const asked = await environmentOf(pod, container, given, sources)
    checkVariables(asked, given, program, isIsolated)
    const lookUp = (name: string) => asked.get(name)
    const site = isIsolated ? await sandboxOf(options, isolation, given, lookUp) : await openSiteOf(options, lookUp)
    const environment: Environment = new Map()
    for (const [name, value] of asked) {
      const isOwn = given.get(name) !== value
      environment.set(name, isOwn && program.keepPaths !== true ? site.rewrite(value) : value)
    }
    environment.set('ORRERY_TERMINATION_LOG', site.messagePath)
    await introduce(options, site, environment)
    return new Workspace(options, site, given, environment)
  }

  /** Where the node reads the termination message. */
  get messageFile(): string {
    return this.#site.messageFile
  }

  /** What runs for the container itself. */
  mainCommand(): Promise<readonly string[]> {
    const { program, container } = this.#options
    return this.#resolved(commandOf(program, container, (name) => this.#environment.get(name)))
  }

  /** What runs when a probe, a hook or a user names a command. Throws `NotStarted` when it is not offered. */
  async offeredCommand(command: readonly string[]): Promise<readonly string[]> {
    return this.#resolved(allowedCommand(this.#options.program, command))
  }

  start(command: readonly string[], { onOutput, hasInput }: ProcessStreams): Promise<GroupProcess> {
    return this.#site.start({ command, environment: this.#environment, onOutput, hasInput })
  }

  /** Runs a command beside the program of the container. */
  enter(command: readonly string[], streams: EnteringStreams): Promise<GroupProcess> {
    const { onOutput, hasInput, hasReport = false, variables = [] } = streams
    const environment = new Map([...this.#environment, ...variables])
    return this.#site.enter({ command, environment, onOutput, hasInput, hasReport })
  }

  /**
   * What runs when a user names a command: in an isolated container anything that the container sees, since it can harm
   * nothing else; otherwise what the program offers. Throws `NotStarted` when it is not offered.
   */
  async executedCommand(command: readonly string[]): Promise<readonly string[]> {
    const { program } = this.#options
    const isOffered = Object.hasOwn(program.commands ?? {}, command[0] ?? '')
    return this.#site.isIsolated && !isOffered ? command : this.offeredCommand(command)
  }

  /** Finds what a registered command runs before anything that the pod says can lead elsewhere. */
  async #resolved({ registered, own }: ProgramCommand): Promise<readonly string[]> {
    const { program } = this.#options
    const rewritten = program.keepPaths === true ? own : own.map((text) => this.#site.rewrite(text))
    const [name, ...args] = registered
    if (name === undefined) return rewritten
    const file = await findExecutable(name, this.#given.get('PATH') ?? '', program.workingDirectory ?? '/')
    if (file === undefined) throw new NotStarted(RUN_ERROR, `failed to start ${JSON.stringify(name)}: not found`)
    return [file, ...args, ...rewritten]
  }
}

function checkVariables(asked: Environment, given: Environment, program: Program, isIsolated: boolean): void {
  // Whoever may run any command needs no variable for it.
  if (program.anyCommand === true) return
  const refused = refusedVariable(asked, given, program.allowEnv ?? [], isIsolated)
  if (refused === undefined) return
  const why = `variable ${JSON.stringify(refused)} changes what the node's program for this image executes`
  throw new NotStarted('CreateContainerConfigError', `${why}: remove it, or add it to allowEnv of the registration`)
}

async function openSiteOf(options: WorkspaceOptions, lookUp: (name: string) => string | undefined): Promise<OpenSite> {
  const { container, program, directory, places } = options
  const root = await ContainerRoot.make(join(directory, 'root'), container, places, lookUp)
  const workingDirectory = program.workingDirectory ?? root.place(container.workingDir ?? '/')
  const site = new OpenSite({ directory, container: root, workingDirectory })
  await site.prepare()
  return site
}

async function sandboxOf(
  options: WorkspaceOptions,
  isolation: Isolation,
  given: ReadonlyMap<string, string>,
  lookUp: (name: string) => string | undefined,
): Promise<ContainerSite> {
  const { pod, container, program, directory, places } = options
  const mounts = (container.volumeMounts ?? []).map((mount): SandboxMount => {
    const place = places.get(mount.name)
    const mountPath = posix.resolve('/', mount.mountPath)
    if (place === undefined) {
      throw new NotStarted('CreateContainerConfigError', `volume ${mount.name} is not mounted`)
    }
    if (mountPath === '/') {
      throw new NotStarted('CreateContainerConfigError', `volume ${mount.name} cannot be mounted at /`)
    }
    const readOnly = place.isReadOnly || mount.readOnly === true
    return { source: place.path, subPath: subPathOf(mount, lookUp), mountPath, readOnly }
  })
  const names = [program.command, ...Object.values(program.commands ?? {})].flatMap(([name]) => name ?? [])
  const found = names.map((name) => findExecutable(name, given.get('PATH') ?? '', program.workingDirectory ?? '/'))
  const executables = (await Promise.all(found)).filter((file) => file !== undefined)
  return isolation.site({
    program,
    executables,
    directory,
    hostname: pod.spec.hostname ?? pod.metadata.name,
    mounts,
    messagePath: posix.resolve('/', container.terminationMessagePath || MESSAGE_PATH),
    workingDirectory: program.workingDirectory ?? posix.resolve('/', container.workingDir ?? '/'),
  })
}

function serverVariables(server: string | undefined): [string, string][] {
  if (server === undefined) return []
  const { hostname, port } = new URL(server)
  return [
    ['KUBERNETES_SERVICE_HOST', hostname.replace(/^\[|\]$/g, '')],
    ['KUBERNETES_SERVICE_PORT', port || '443'],
    ['KUBERNETES_SERVICE_PORT_HTTPS', port || '443'],
  ]
}

/**
 * Leads a process to its service account: without isolation it is not where clients look for it, and those that read a
 * kubeconfig get one for it.
 */
async function introduce(
  { pod, container, server }: WorkspaceOptions,
  site: ContainerSite,
  environment: Environment,
): Promise<void> {
  if (container.volumeMounts?.some(({ mountPath }) => mountPath === SERVICE_ACCOUNT_PATH) !== true) return
  const account = site.place(SERVICE_ACCOUNT_PATH)
  environment.set('ORRERY_SERVICEACCOUNT_DIR', account)
  if (server === undefined || environment.has('KUBECONFIG')) return
  const text = kubeconfigFor(server, account, pod.metadata.namespace)
  environment.set('KUBECONFIG', await site.keep('kubeconfig', text))
}

function kubeconfigFor(server: string, account: string, namespace: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'pod', cluster: { server, 'certificate-authority': join(account, 'ca.crt') } }],
    users: [{ name: 'pod', user: { tokenFile: join(account, 'token') } }],
    contexts: [{ name: 'pod', context: { cluster: 'pod', user: 'pod', namespace } }],
    'current-context': 'pod',
  })
}
