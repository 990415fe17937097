import { join } from 'node:path'
import { type ApiObject, ConfigMap, type Container, type Kind, type Pod, type PodStatus, Secret } from '@orrery/kinds'
import { ContainerRun, type Report, type Starter } from '../container/container-run.js'
import type { LiveContainer } from '../container/live.js'
import { NotStarted } from '../container/not-started.js'
import { roleOf, runsAgain } from '../container/restart.js'
import type { LogSource } from '../logs/log-source.js'
import { PlayedLog } from '../logs/played-log.js'
import { playedStarter } from '../played/played-container.js'
import { checkReferences } from '../played/references.js'
import { PodSpace } from '../process/pod-space.js'
import { NotMounted } from '../volumes/payload.js'
import { refusalOf } from './admission.js'
import type { PodHost } from './pod-host.js'
import { isInitialised, type PodFacts, podStatusOf } from './status.js'

/** The retry delay for something missing that is not watched. */
const RETRY = 10_000
const DEFAULT_GRACE = 30

/** A pod on this node, from its binding to its removal (a pod worker of the kubelet). */
export class PodRun {
  readonly uid: string
  readonly #host: PodHost
  readonly #pod: Pod
  readonly #containers = new Map<string, ContainerRun>()
  readonly #played: Starter
  readonly #facts: { -readonly [K in keyof PodFacts]: PodFacts[K] }
  #space: PodSpace | undefined
  #problem = ''

  /** `others` returns the other pods of the node. */
  constructor(pod: Pod, host: PodHost, others: () => readonly Pod[]) {
    this.uid = pod.metadata.uid
    this.#pod = pod
    this.#host = host
    const now = host.clock.now()
    this.#played = playedStarter(host.clock, () => host.programs.problem)
    const { podIP } = pod.status ?? {}
    this.#facts = {
      containers: this.#containers,
      startedAt: now,
      hostIP: host.hostIP,
      podIP: podIP ?? this.#takeAddress(),
      isPrepared: podIP !== undefined,
      failure: refusalOf(pod, others),
    }
    if (podIP !== undefined) host.addresses.hold(podIP)
    this.#populate(pod, now)
    const { failure } = this.#facts
    if (failure === undefined || pod.status?.phase === 'Failed') return
    host.events.record({ regarding: pod, type: 'Warning', reason: failure.reason, note: failure.message })
  }

  get isOver(): boolean {
    return this.#runs.every(({ isRunning }) => !isRunning)
  }

  /** The default container. */
  get firstContainer(): string {
    return this.#pod.spec.containers[0]?.name ?? ''
  }

  /** Syncs the pod as far as possible now. Returns when to sync again even if no event arrives. */
  async sync(pod: Pod, now: Date): Promise<Date | undefined> {
    const times = this.#runs.map((run) => run.observe(pod, now))
    const deadline = this.#deadline(pod)
    if (deadline !== undefined && deadline <= now && this.#facts.failure === undefined && !this.#hasFinished(pod)) {
      const reason = 'DeadlineExceeded'
      const message = 'Pod was active on the node longer than the specified deadline'
      this.#facts.failure = { reason, message }
      this.#host.events.record({ regarding: pod, type: 'Normal', reason, note: message })
    }
    const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
    if (deletionTimestamp !== undefined || this.#facts.failure !== undefined) {
      this.#end(pod, deletionTimestamp === undefined ? graceOf(pod) : (deletionGracePeriodSeconds ?? 0), now)
    } else if (this.#hasFinished(pod)) {
      this.#end(pod, graceOf(pod), now)
      // Finished pods can exist for a long time, so their objects are no longer watched.
      if (this.isOver) this.#host.objects.release(this.uid)
    } else {
      times.push(deadline, ...(await this.#bringOn(pod, now)))
    }
    return earliest(times)
  }

  status(pod: Pod, now: Date): PodStatus {
    return podStatusOf(pod, this.#facts, now)
  }

  /** Returns the log of a container, or of its previous run. Throws `NotStarted` if there is none. */
  logOf(name: string, previous: boolean): LogSource {
    const run = this.#containers.get(name)
    const { name: podName } = this.#pod.metadata
    const subject = `container ${JSON.stringify(name)} in pod ${JSON.stringify(podName)}`
    if (run === undefined) throw new NotStarted('NotFound', `${subject} does not exist`)
    const ended = run.live === undefined ? run.terminated : run.last
    if (!previous && run.live !== undefined) return run.live.log
    const isThere = previous ? run.last !== undefined : ended !== undefined
    if (!isThere) {
      const { reason = 'ContainerCreating' } = run.waiting ?? {}
      if (previous) throw new NotStarted('NotFound', `previous terminated ${subject} not found`)
      throw new NotStarted(reason, `${subject} is waiting to start: ${reason}`)
    }
    const past = previous ? run.last : ended
    const restarts = previous ? run.restarts - 1 : run.restarts
    return this.#ownSpace().endedLog(name, restarts) ?? endedPlay(run.image ?? '', new Date(past?.startedAt ?? 0))
  }

  /** Returns a running container by name. */
  liveOf(name: string): LiveContainer | undefined {
    return this.#containers.get(name)?.live
  }

  /** The containers in the pod spec. */
  get containers(): readonly Container[] {
    return [...(this.#pod.spec.initContainers ?? []), ...this.#pod.spec.containers]
  }

  /** The running containers by name, with their process IDs if they are processes. */
  get running(): ReadonlyMap<string, number | undefined> {
    const pids = new Map<string, number | undefined>()
    for (const [name, { live }] of this.#containers) if (live !== undefined) pids.set(name, live.pid)
    return pids
  }

  /** Stops all containers within a grace period, without a status update. Files stay. */
  async halt(graceSeconds: number): Promise<void> {
    const lives = this.#runs.flatMap(({ live }) => live ?? [])
    for (const live of lives) live.stop(graceSeconds)
    await Promise.all(lives.map(({ ended }) => ended))
    for (const live of lives) live.close()
    this.#host.objects.release(this.uid)
  }

  /** Stops all containers immediately and removes all files. */
  async destroy(): Promise<void> {
    await this.halt(0)
    this.#host.addresses.release(this.#facts.podIP)
    await this.#ownSpace().remove()
  }

  get #runs(): ContainerRun[] {
    return [...this.#containers.values()]
  }

  #populate(pod: Pod, now: Date): void {
    const { spec, status = {} } = pod
    const add = (container: Container, isInit: boolean) => {
      const { name } = container
      const starterFor = (wanted: Container) => this.#starterFor(wanted)
      const run = new ContainerRun(name, roleOf(container, isInit), starterFor, this.#reportFor(name, isInit))
      this.#containers.set(name, run)
      const statuses = isInit ? status.initContainerStatuses : status.containerStatuses
      const known = statuses?.find((one) => one.name === name)
      if (known !== undefined) run.restore(pod, container, known, now)
    }
    for (const container of spec.initContainers ?? []) add(container, true)
    for (const container of spec.containers) add(container, false)
  }

  async #bringOn(pod: Pod, now: Date): Promise<(Date | undefined)[]> {
    const times = [await this.#prepare(pod, now)]
    if (!this.#facts.isPrepared) return times
    for (const container of pod.spec.initContainers ?? []) {
      if (isInitialised(pod, this.#facts) && roleOf(container, true) !== 'sidecar') continue
      times.push(await this.#bringOnOne(pod, container, now))
      if (!isInitialised(pod, this.#facts) && !this.#isDone(container)) return times
    }
    const main = pod.spec.containers.map((container) => this.#bringOnOne(pod, container, now))
    return [...times, ...(await Promise.all(main))]
  }

  #isDone({ name }: Container): boolean {
    const run = this.#containers.get(name)
    return run?.role === 'sidecar' ? run.started : run?.terminated?.exitCode === 0
  }

  async #bringOnOne(pod: Pod, container: Container, now: Date): Promise<Date | undefined> {
    const run = this.#containers.get(container.name)
    if (run === undefined) return undefined
    const isOther = run.image !== undefined && run.image !== container.image
    if (run.live !== undefined) {
      if (isOther) run.live.stop(graceOf(pod))
      return undefined
    }
    const { terminated } = run
    if (terminated !== undefined && !isOther && !runsAgain(pod, container, run.role, terminated)) return undefined
    return run.advance(pod, container, now)
  }

  /** Sets up volumes and other requirements. Containers start only afterwards; then it keeps them up to date. */
  async #prepare(pod: Pod, now: Date): Promise<Date | undefined> {
    try {
      const again = await this.#setUp(pod)
      this.#facts.isPrepared = true
      this.#problem = ''
      return again
    } catch (error) {
      if (!(error instanceof NotMounted) && !(error instanceof NotStarted)) throw error
      if (error.message !== this.#problem) {
        this.#problem = error.message
        const reason = error instanceof NotMounted ? 'FailedMount' : 'Failed'
        this.#host.events.record({ regarding: pod, type: 'Warning', reason, note: error.message })
      }
      return new Date(now.getTime() + RETRY)
    }
  }

  async #setUp(pod: Pod): Promise<Date | undefined> {
    const { objects, allocatable, hostIP, programs } = this.#host
    const all = [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
    const isProcess = ({ name, image = '' }: Container) => {
      const live = this.#containers.get(name)?.live
      return live === undefined ? programs.find(image, pod.metadata.namespace) !== undefined : live.pid !== undefined
    }
    if (all.some(isProcess)) return this.#ownSpace().prepare(pod)
    if (this.#facts.isPrepared) return undefined
    const { namespace } = pod.metadata
    const object = <T extends ApiObject>(kind: Kind<T, object>, name: string) =>
      objects.get(this.uid, kind, { namespace, name })
    await checkReferences(pod, {
      object,
      configMap: (name) => object(ConfigMap, name),
      secret: (name) => object(Secret, name),
      token: async () => '',
      place: { hostIP, podIP: this.#facts.podIP },
      allocatable,
    })
    objects.release(this.uid)
    return undefined
  }

  /** Stops main containers first and sidecars afterwards. */
  #end(pod: Pod, graceSeconds: number, now: Date): void {
    const end = (isMain: boolean) => {
      const runs = this.#runs.filter(({ role }) => (role === 'main') === isMain)
      for (const run of runs) {
        run.end(graceSeconds)
        run.observe(pod, now)
      }
      return runs.every(({ isRunning }) => !isRunning)
    }
    if (end(true)) end(false)
  }

  /** Returns whether all main containers have ended and none restarts, or an init container failed permanently. */
  #hasFinished(pod: Pod): boolean {
    const isFinal = (container: Container) => {
      const run = this.#containers.get(container.name)
      return run?.terminated !== undefined && !runsAgain(pod, container, run.role, run.terminated)
    }
    const { phase } = pod.status ?? {}
    if (phase === 'Succeeded' || phase === 'Failed') return true
    const failed = pod.spec.initContainers?.some(
      (container) => isFinal(container) && this.#containers.get(container.name)?.terminated?.exitCode !== 0,
    )
    return failed === true || pod.spec.containers.every(isFinal)
  }

  #deadline({ spec, status }: Pod): Date | undefined {
    if (spec.activeDeadlineSeconds === undefined) return undefined
    const start = status?.startTime === undefined ? this.#facts.startedAt.getTime() : Date.parse(status.startTime)
    return new Date(start + spec.activeDeadlineSeconds * 1_000)
  }

  #starterFor(container: Container): Starter {
    const program = this.#host.programs.find(container.image ?? '', this.#pod.metadata.namespace)
    if (program === undefined) return this.#played
    return this.#ownSpace().starter(program)
  }

  #ownSpace(): PodSpace {
    const { client, clock, objects, podsDirectory, persistentDirectory, hostPaths, allocatable, server } = this.#host
    const { isolation, wake } = this.#host
    const { hostIP, podIP } = this.#facts
    this.#space ??= new PodSpace({
      client,
      clock,
      objects,
      directory: join(podsDirectory, this.uid),
      persistentDirectory,
      hostPaths,
      place: { hostIP, podIP },
      allocatable,
      server,
      isolation,
      onChange: () => wake(this.#pod.metadata),
    })
    return this.#space
  }

  /** Processes and pods with `hostNetwork` use the address of the machine; other pods get their own. */
  #takeAddress(): string {
    const { programs, addresses, hostIP } = this.#host
    const { metadata, spec } = this.#pod
    const isProgram = ({ image = '' }: Container) => programs.find(image, metadata.namespace) !== undefined
    const isHere = spec.hostNetwork === true || spec.containers.some(isProgram)
    return (isHere ? undefined : addresses.take()) ?? hostIP
  }

  #reportFor(container: string, isInit: boolean): Report {
    const { name, namespace, uid } = this.#pod.metadata
    const fieldPath = `spec.${isInit ? 'initContainers' : 'containers'}{${container}}`
    const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, fieldPath }
    return (type, reason, note) => this.#host.events.record({ regarding, type, reason, note })
  }
}

function graceOf({ spec }: Pod): number {
  return spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE
}

function endedPlay(image: string, startedAt: Date): PlayedLog {
  const log = new PlayedLog(image, startedAt)
  log.close()
  return log
}

function earliest(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.flatMap((time) => (time === undefined ? [] : [time.getTime()]))
  return known.length === 0 ? undefined : new Date(Math.min(...known))
}
