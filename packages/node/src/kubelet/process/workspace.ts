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
  /** The directory of the container. */
  readonly directory: string
  /** The directories of the pod's volumes, by name. */
  readonly places: ReadonlyMap<string, VolumePlace>
  readonly sources: EnvironmentSources
  /** The URL of the API server, such as `https://127.0.0.1:6443`; undefined if unknown. */
  readonly server: string | undefined
  /** The isolation of the container; undefined if the machine does not support it. */
  readonly isolation: Isolation | undefined
}

const SERVICE_ACCOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'

/** What the processes of a container work with: files, variables and allowed commands. */
export class Workspace implements CommandRunner {
  readonly #options: WorkspaceOptions
  readonly #site: ContainerSite
  /** The variables before those of the container; registered commands are searched with them. */
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

  /** Creates it. Throws `NotStarted` if something is missing or not allowed. */
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

  /** The path of the termination message on the machine. */
  get messageFile(): string {
    return this.#site.messageFile
  }

  /** Returns the command of the container. */
  mainCommand(): Promise<readonly string[]> {
    const { program, container } = this.#options
    return this.#resolved(commandOf(program, container, (name) => this.#environment.get(name)))
  }

  /**
   * Returns the command line for a command of a probe, hook or user. Throws `NotStarted` if the program does not allow
   * it.
   */
  async offeredCommand(command: readonly string[]): Promise<readonly string[]> {
    return this.#resolved(allowedCommand(this.#options.program, command))
  }

  start(command: readonly string[], { onOutput, hasInput }: ProcessStreams): Promise<GroupProcess> {
    return this.#site.start({ command, environment: this.#environment, flow: this.#flow, onOutput, hasInput })
  }

  /** Runs a command beside the program of the container. */
  enter(command: readonly string[], streams: EnteringStreams): Promise<GroupProcess> {
    const { onOutput, hasInput, hasReport = false, variables = [] } = streams
    const environment = new Map([...this.#environment, ...variables])
    return this.#site.enter({ command, environment, flow: this.#flow, onOutput, hasInput, hasReport })
  }

  /**
   * Returns the command line for `kubectl exec`. In an isolated container any command in it is allowed, since it cannot
   * affect anything else; otherwise only commands that the program allows. Throws `NotStarted` if it is not allowed.
   */
  async executedCommand(command: readonly string[]): Promise<readonly string[]> {
    const { program } = this.#options
    const isOffered = Object.hasOwn(program.commands ?? {}, command[0] ?? '')
    return this.#site.isIsolated && !isOffered ? command : this.offeredCommand(command)
  }

  get #flow(): string {
    return this.#options.pod.metadata.namespace
  }

  /** Finds the file of a registered command before anything from the pod can change the search. */
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
  // If any command is allowed, variables need no check.
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
 * Configures a process for its service account: without isolation the token is not at the usual path, so clients that
 * read a kubeconfig get one.
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
