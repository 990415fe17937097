import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ApiObject, Clock, Kind, KubeClient } from '@orrery/kube'
import { ConfigMap, type Container, type Pod, Secret } from '@orrery/kube/kinds'
import type { Report, Starter } from '../container/containerrun.js'
import { newContainerId } from '../container/image.js'
import { CREATE_ERROR, type LiveContainer, NotStarted, RUN_ERROR } from '../container/live.js'
import { ContainerLog } from '../logs/containerlog.js'
import type { Program } from '../programs/program.js'
import type { HeldObjects } from '../volumes/heldobjects.js'
import type { VolumeSources } from '../volumes/payload.js'
import { PodVolumes } from '../volumes/podvolumes.js'
import { PodTokens } from '../volumes/tokens.js'
import { baseEnvironment, GroupProcess } from './childprocess.js'
import { allowedCommand, commandOf } from './command.js'
import { ContainerRoot } from './containerroot.js'
import { type Environment, environmentOf } from './environment.js'
import { executeCommand } from './execute.js'
import type { PodPlace } from './fieldvalue.js'
import { lastWordsOf } from './lastwords.js'
import { forgetPid, notePid } from './leftovers.js'
import { ProcessContainer } from './processcontainer.js'
import { endStraysOf, ROOT_VARIABLE } from './strays.js'

export interface PodSpaceOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly objects: HeldObjects
  /** Where everything of this pod is kept. */
  readonly directory: string
  readonly persistentDirectory: string
  readonly hostPaths: readonly string[]
  readonly place: PodPlace
  readonly allocatable: Readonly<Record<string, string>>
  /** Where the API server is reached: `https://127.0.0.1:6443`; undefined when it is not. */
  readonly server: string | undefined
  readonly onChange: () => void
}

export const SERVICE_ACCOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
const DEFAULT_GRACE = 30

/** What a pod has on this machine: volumes, tokens, and a directory for each container that is a process. */
export class PodSpace {
  readonly #options: PodSpaceOptions
  readonly #volumes: PodVolumes
  readonly #tokens: PodTokens
  #places: ReadonlyMap<string, string> = new Map()

  constructor(options: PodSpaceOptions) {
    this.#options = options
    const { client, clock, directory, persistentDirectory, hostPaths } = options
    this.#volumes = new PodVolumes({ directory: join(directory, 'volumes'), persistentDirectory, hostPaths })
    this.#tokens = new PodTokens(client, clock)
  }

  /** Makes the volumes and brings them up to date. Returns when they have to be looked at again. Throws `NotMounted`. */
  async prepare(pod: Pod): Promise<Date | undefined> {
    const { place, allocatable } = this.#options
    const sources: VolumeSources = {
      object: (kind, name) => this.#object(pod, kind, name),
      token: (projection) => this.#tokens.get(pod, projection),
      place,
      allocatable,
    }
    this.#places = await this.#volumes.mount(pod, sources)
    return this.#tokens.renewAt
  }

  /** Starts containers as processes of a program. */
  starter(program: Program): Starter {
    return {
      startsAt: (_pod, _container, since) => since,
      start: (pod, container, restarts, report) => this.#start(pod, container, restarts, program, report),
      // A process does not outlive the node that started it.
      resume: () => undefined,
    }
  }

  /** The log of a run of a container that is over. */
  endedLog(container: string, restarts: number): ContainerLog | undefined {
    return ContainerLog.ended(this.#logs(container), restarts, this.#options.clock)
  }

  /** Gives everything back. */
  async remove(): Promise<void> {
    await rm(this.#options.directory, { recursive: true, force: true })
  }

  async #start(
    pod: Pod,
    container: Container,
    restarts: number,
    program: Program,
    report: Report,
  ): Promise<LiveContainer> {
    const { clock, onChange } = this.#options
    const directory = this.#containerDirectory(container.name)
    const { root, environment, workingDirectory, log } = await this.#layOut(
      pod,
      container,
      restarts,
      program,
      directory,
    ).catch(asNotStarted)
    const lookUp = (name: string) => environment.get(name)
    const rewrite = (texts: readonly string[]) =>
      program.keepPaths === true ? texts : texts.map((text) => root.rewrite(text))
    const command = rewrite(commandOf(program, container, lookUp))
    let child: GroupProcess
    try {
      child = await GroupProcess.start({
        command,
        environment,
        directory: workingDirectory,
        onOutput: (stream, piece) => log.append(stream, piece),
        sweep: () => endStraysOf(root.path),
      })
    } catch (error) {
      log.close()
      const { code = 'unknown' } = error as NodeJS.ErrnoException
      throw new NotStarted(RUN_ERROR, `failed to start ${JSON.stringify(command[0])}: ${code}`)
    }
    // On a full disk there is no note: it runs all the same, and must not be started again.
    await notePid(directory, child.pid).catch(() => undefined)
    void child.ended.then(() => forgetPid(directory))
    report('Normal', 'Created', 'Container created')
    report('Normal', 'Started', 'Container started')
    return new ProcessContainer({
      id: newContainerId(),
      container,
      process: child,
      log,
      clock,
      execute: (wanted, signal) =>
        executeCommand(
          { command: () => rewrite(allowedCommand(program, wanted)), environment, directory: workingDirectory },
          signal,
        ),
      graceSeconds: pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE,
      lastWords: (exitCode) => lastWordsOf(root.messageFile, container, log, exitCode),
      report,
      onChange,
    })
  }

  /** Makes everything that a container needs before it can start. */
  async #layOut(pod: Pod, container: Container, restarts: number, program: Program, directory: string) {
    const { root, environment } = await this.#furnish(pod, container, program, directory)
    const workingDirectory = program.workingDirectory ?? root.place(container.workingDir ?? '/')
    await mkdir(workingDirectory, { recursive: true })
    await mkdir(dirname(root.messageFile), { recursive: true })
    await writeFile(root.messageFile, '')
    environment.set('ORRERY_TERMINATION_LOG', root.messageFile)
    const log = ContainerLog.begin(this.#logs(container.name), restarts, this.#options.clock)
    return { root, environment, workingDirectory, log }
  }

  /** What a container sees: its root with the mounts, and its variables. */
  async #furnish(
    pod: Pod,
    container: Container,
    program: Program,
    directory: string,
  ): Promise<{ root: ContainerRoot; environment: Environment }> {
    const { place, allocatable } = this.#options
    const rootPath = join(directory, 'root')
    const sources = {
      configMap: (name: string) => this.#object(pod, ConfigMap, name),
      secret: (name: string) => this.#object(pod, Secret, name),
      place,
      allocatable,
    }
    const given = baseEnvironment(pod.metadata.name, rootPath)
    for (const [name, value] of this.#serverVariables()) given.set(name, value)
    for (const [name, value] of Object.entries(program.env ?? {})) given.set(name, value)
    const asked = await environmentOf(pod, container, given, sources)
    const root = await ContainerRoot.make(rootPath, container, this.#places, (name) => asked.get(name))
    const environment: Environment = new Map()
    for (const [name, value] of asked) {
      const isOwn = given.get(name) !== value
      environment.set(name, isOwn && program.keepPaths !== true ? root.rewrite(value) : value)
    }
    environment.set(ROOT_VARIABLE, root.path)
    await this.#introduce(pod, container, root, environment)
    return { root, environment }
  }

  #serverVariables(): [string, string][] {
    const { server } = this.#options
    if (server === undefined) return []
    const { hostname, port } = new URL(server)
    return [
      ['KUBERNETES_SERVICE_HOST', hostname.replace(/^\[|\]$/g, '')],
      ['KUBERNETES_SERVICE_PORT', port || '443'],
      ['KUBERNETES_SERVICE_PORT_HTTPS', port || '443'],
    ]
  }

  /**
   * Leads a process to its service account: clients look for it at a path that is not theirs here, so they are told
   * where it is, and given a kubeconfig for it.
   */
  async #introduce(pod: Pod, container: Container, root: ContainerRoot, environment: Environment): Promise<void> {
    const { server } = this.#options
    if (container.volumeMounts?.some(({ mountPath }) => mountPath === SERVICE_ACCOUNT_PATH) !== true) return
    const account = root.place(SERVICE_ACCOUNT_PATH)
    environment.set('ORRERY_SERVICEACCOUNT_DIR', account)
    if (server === undefined || environment.has('KUBECONFIG')) return
    const kubeconfig = join(this.#containerDirectory(container.name), 'kubeconfig')
    await writeFile(kubeconfig, kubeconfigFor(server, account, pod.metadata.namespace), { mode: 0o600 })
    environment.set('KUBECONFIG', kubeconfig)
  }

  #object<T extends ApiObject>(pod: Pod, kind: Kind<T, object>, name: string): Promise<T | undefined> {
    const { namespace, uid } = pod.metadata
    return this.#options.objects.get(uid, kind, kind.scope === 'Cluster' ? { name } : { namespace, name })
  }

  #containerDirectory(container: string): string {
    return join(this.#options.directory, 'containers', container)
  }

  #logs(container: string): string {
    return join(this.#containerDirectory(container), 'logs')
  }
}

/** What the file system refuses is told, and tried again. */
function asNotStarted(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof NotStarted || typeof code !== 'string') throw error
  throw new NotStarted(CREATE_ERROR, `the files of the container cannot be laid out: ${code}`)
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
