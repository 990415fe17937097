import { join } from 'node:path'
import { type ApiObject, ConfigMap, type Container, type Kind, type Pod, Secret } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Report, Starter } from '../container/container-run.js'
import { newContainerId } from '../container/image.js'
import type { LiveContainer } from '../container/live.js'
import { CREATE_ERROR, NotStarted } from '../container/not-started.js'
import type { PodPlace } from '../downward-api/field-value.js'
import type { Isolation } from '../isolation/isolation.js'
import { ContainerLog } from '../logs/container-log.js'
import type { GroupProcess } from '../os/child-process.js'
import { forgetPid, notePid } from '../os/leftovers.js'
import { removeTree } from '../os/remove-tree.js'
import type { Program } from '../programs/program.js'
import type { HeldObjects } from '../volumes/held-objects.js'
import type { VolumeSources } from '../volumes/payload.js'
import { PodVolumes, type VolumePlace } from '../volumes/pod-volumes.js'
import { PodTokens } from '../volumes/tokens.js'
import { ContainerStreams } from './container-streams.js'
import { ProcessContainer } from './process-container.js'
import { terminationMessageOf } from './termination-message.js'
import { Workspace } from './workspace.js'

export interface PodSpaceOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly objects: HeldObjects
  /** The directory of this pod. */
  readonly directory: string
  readonly persistentDirectory: string
  readonly hostPaths: readonly string[]
  readonly place: PodPlace
  readonly allocatable: Readonly<Record<string, string>>
  /** The URL of the API server, such as `https://127.0.0.1:6443`; undefined if unknown. */
  readonly server: string | undefined
  /** The isolation of containers; undefined if the machine does not support it. */
  readonly isolation: Isolation | undefined
  readonly onChange: () => void
}

const DEFAULT_GRACE = 30

/** The files of a pod on this machine: volumes, tokens, and a directory for each container with a process. */
export class PodSpace {
  readonly #options: PodSpaceOptions
  readonly #volumes: PodVolumes
  readonly #tokens: PodTokens
  #places: ReadonlyMap<string, VolumePlace> = new Map()

  constructor(options: PodSpaceOptions) {
    this.#options = options
    const { client, clock, directory, persistentDirectory, hostPaths } = options
    this.#volumes = new PodVolumes({ directory: join(directory, 'volumes'), persistentDirectory, hostPaths })
    this.#tokens = new PodTokens(client, clock)
  }

  /** Creates or updates the volumes. Returns when to update them again. Throws `NotMounted`. */
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

  /** Returns a starter for containers that run as processes of a program. */
  starter(program: Program): Starter {
    return {
      startsAt: (_pod, _container, since) => since,
      start: (pod, container, restarts, report) => this.#start(pod, container, restarts, program, report),
      // A process does not outlive its node.
      resume: () => undefined,
    }
  }

  /** Returns the log of a past run of a container. */
  endedLog(container: string, restarts: number): ContainerLog | undefined {
    return ContainerLog.ended(this.#logs(container), restarts, this.#options.clock)
  }

  /** Removes all files. */
  async remove(): Promise<void> {
    await removeTree(this.#options.directory)
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
    const workspace = await this.#workspace(pod, container, program, directory).catch(asNotStarted)
    const command = await workspace.mainCommand()
    const log = ContainerLog.begin(this.#logs(container.name), restarts, clock)
    const streams = new ContainerStreams(log, container)
    let child: GroupProcess
    try {
      child = await workspace.start(command, streams)
    } catch (error) {
      log.close()
      throw error
    }
    // On a full disk the PID is not recorded; the process runs nevertheless and must not be started again.
    await notePid(directory, child.leader).catch(() => undefined)
    void child.ended.then(() => forgetPid(directory))
    report('Normal', 'Created', 'Container created')
    report('Normal', 'Started', 'Container started')
    return new ProcessContainer({
      id: newContainerId(),
      container,
      process: child,
      streams,
      log,
      clock,
      workspace,
      graceSeconds: pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE,
      terminationMessage: (exitCode) => terminationMessageOf(workspace.messageFile, container, log, exitCode),
      report,
      onChange,
    })
  }

  /** Creates everything that a container needs before its start. */
  async #workspace(pod: Pod, container: Container, program: Program, directory: string): Promise<Workspace> {
    const { place, allocatable, server, isolation } = this.#options
    return Workspace.make({
      pod,
      container,
      program,
      directory,
      server,
      isolation,
      places: this.#places,
      sources: {
        configMap: (name: string) => this.#object(pod, ConfigMap, name),
        secret: (name: string) => this.#object(pod, Secret, name),
        place,
        allocatable,
      },
    })
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

/** Reports errors of the file system as `NotStarted`, so that the start is retried. */
function asNotStarted(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof NotStarted || typeof code !== 'string') throw error
  throw new NotStarted(CREATE_ERROR, `failed to create the files of the container: ${code}`)
}
