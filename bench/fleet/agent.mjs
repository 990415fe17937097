// The agent of one simulated cluster: it joins as Open Cluster Management's agent does, with a certificate and a session of its own,
// renews its lease, watches its ManagedCluster and its works, and reports every work as applied and available.
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareRequest } from '../../packages/kube/dist/csr/request.js'
import { IGNORED, Refused, Session } from './session.mjs'

const CLUSTERS = '/apis/cluster.open-cluster-management.io/v1/managedclusters'
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const SUBJECT = 'system:open-cluster-management:'
const AVAILABLE = 'ManagedClusterConditionAvailable'
const RETRY_MILLISECONDS = 200
/** An agent that lost its hub waits up to this time, so that not all of them return at once. */
const RECONNECT_MILLISECONDS = 5_000

export class Agent {
  joined = false
  /** Whether the hub serves it: its watches are open, and its lease was renewed since it connected. */
  served = false
  worksReported = 0
  #name
  #hub
  #leaseSeconds
  #session
  #credentials
  #lease
  #timer
  #stopped = false
  #unavailable = false
  #generations = new Map()

  constructor(name, hub, leaseSeconds) {
    this.#name = name
    this.#hub = hub
    this.#leaseSeconds = leaseSeconds
  }

  /** Resolves when the hub has accepted the cluster, knows it as available, and serves its works. */
  async join() {
    const bootstrap = new Session(this.#hub)
    try {
      await bootstrap.post(CLUSTERS, {
        apiVersion: 'cluster.open-cluster-management.io/v1',
        kind: 'ManagedCluster',
        metadata: { name: this.#name },
        spec: { leaseDurationSeconds: this.#leaseSeconds },
      })
      this.#credentials = await this.#requestCertificate(bootstrap)
    } finally {
      bootstrap.close()
    }
    await this.#connect()
    this.joined = true
  }

  /** Ends without a word, as a cluster that lost its power. */
  stop() {
    this.#stopped = true
    this.served = false
    clearTimeout(this.#timer)
    this.#session?.close()
  }

  /** Starts an agent that was stopped. */
  async resume() {
    this.#stopped = false
    await this.#connect()
  }

  async #requestCertificate(bootstrap) {
    const name = this.#name
    const subject = {
      commonName: `${SUBJECT}${name}:sim`,
      organizations: [`${SUBJECT}${name}`, `${SUBJECT}managed-clusters`],
    }
    const { requestPem, keyPem } = prepareRequest({ signerName: '', ...subject })
    const created = await bootstrap.post(REQUESTS, {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { generateName: `${name}-`, labels: { 'open-cluster-management.io/cluster-name': name } },
      spec: {
        request: Buffer.from(requestPem).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    })
    const { name: request, resourceVersion } = created.metadata
    const certificate = await new Promise((resolve, reject) => {
      const query = `watch=true&fieldSelector=metadata.name%3D${request}&resourceVersion=${resourceVersion}`
      const ended = bootstrap.watch(`${REQUESTS}?${query}`, ({ object }) => {
        if (object.status?.certificate) resolve(object.status.certificate)
      })
      ended.then(() => reject(new Error('the watch of the request ended')), reject)
    })
    return { cert: Buffer.from(certificate, 'base64'), key: keyPem }
  }

  async #connect() {
    const { server, ca } = this.#hub
    const session = new Session({ server, ca, ...this.#credentials }, () => this.#lost(session))
    this.#session = session
    try {
      const reported = this.#allowed(session, () => this.#reportStatus(session))
      await Promise.all([this.#untilAccepted(session), reported])
      await this.#allowed(session, () => this.#watchWorks(session))
      await this.#allowed(session, () => this.#renew(session))
    } catch (error) {
      this.#lost(session)
      throw error
    }
    this.served = true
    if (this.#unavailable) this.#reportStatusLater(session)
  }

  #reportStatusLater(session) {
    this.#allowed(session, () => this.#reportStatus(session)).catch(IGNORED)
  }

  /** Repeats what the hub refuses until it has written the permissions. */
  async #allowed(session, act) {
    for (;;) {
      try {
        return await act()
      } catch (error) {
        const isEarly = error instanceof Refused && [403, 404, 409, 429, 503].includes(error.status)
        if (!isEarly || this.#stopped || session !== this.#session) throw error
        await sleep(RETRY_MILLISECONDS * (0.5 + Math.random()))
      }
    }
  }

  /** Keeps the hub's conditions. */
  async #reportStatus(session) {
    const path = `${CLUSTERS}/${this.#name}`
    const { metadata, status } = await session.get(path)
    const { resourceVersion } = metadata
    await session.patch(`${path}/status`, { metadata: { resourceVersion }, status: statusOf(status?.conditions ?? []) })
  }

  /** Watches the ManagedCluster for good; resolves once it is accepted. */
  async #untilAccepted(session) {
    const path = `${CLUSTERS}?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3D${this.#name}`
    await new Promise((resolve, reject) => {
      const onEvent = ({ object }) => {
        if (object?.spec?.hubAcceptsClient) resolve()
        this.#unavailable = isUnavailable(object)
        if (this.served && this.#unavailable) this.#reportStatusLater(session)
      }
      this.#keepWatching(session, path, onEvent).catch(reject)
    })
  }

  async #watchWorks(session) {
    const path = `/apis/work.open-cluster-management.io/v1/namespaces/${this.#name}/manifestworks`
    const { items, metadata } = await session.get(path)
    for (const work of items) this.#take(session, path, work)
    const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`
    void this.#keepWatching(session, `${path}?${query}`, ({ type, object }) => {
      if (type === 'ADDED' || type === 'MODIFIED') this.#take(session, path, object)
      if (type === 'DELETED') this.#generations.delete(object.metadata.name)
    }).catch(IGNORED)
  }

  async #keepWatching(session, path, onEvent) {
    while (!this.#stopped && session === this.#session) {
      await this.#allowed(session, () => session.watch(path, onEvent))
    }
  }

  #take(session, path, { metadata: { name, generation }, spec }) {
    if (this.#generations.get(name) === generation) return
    this.#generations.set(name, generation)
    const status = workStatus(generation, spec.workload.manifests)
    this.#allowed(session, () => session.patch(`${path}/${name}/status`, { status })).then(
      () => this.worksReported++,
      () => this.#generations.delete(name),
    )
  }

  async #renew(session) {
    const path = `/apis/coordination.k8s.io/v1/namespaces/${this.#name}/leases/managed-cluster-lease`
    this.#lease ??= await session.get(path)
    this.#lease.spec = { ...this.#lease.spec, renewTime: new Date().toISOString().replace('Z', '000Z') }
    try {
      this.#lease = await session.put(path, this.#lease)
    } catch (error) {
      this.#lease = undefined
      throw error
    } finally {
      if (session === this.#session) this.#renewLater(session)
    }
  }

  #renewLater(session) {
    clearTimeout(this.#timer)
    // client-go's jitter spreads the renewals of agents that started together.
    const next = this.#leaseSeconds * 1_000 * (1 + 0.25 * Math.random())
    this.#timer = setTimeout(() => this.#renew(session).catch(IGNORED), next)
  }

  #lost(session) {
    if (session !== this.#session || this.#stopped) return
    this.#session = undefined
    clearTimeout(this.#timer)
    this.served = false
    session.close()
    const again = () => {
      if (!this.#stopped) this.#connect().catch(IGNORED)
    }
    this.#timer = setTimeout(again, RECONNECT_MILLISECONDS * Math.random())
  }
}

/** The hub could not know in time that the agent is back. */
function isUnavailable({ status }) {
  return status?.conditions?.some(({ type, status }) => type === AVAILABLE && status !== 'True') === true
}

function statusOf(known) {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z/, 'Z')
  const condition = (type, reason) => ({ type, status: 'True', reason, message: 'simulated', lastTransitionTime })
  const own = [
    condition('ManagedClusterJoined', 'ManagedClusterJoined'),
    condition(AVAILABLE, 'ManagedClusterAvailable'),
  ]
  const others = known.filter(({ type }) => own.every((one) => one.type !== type))
  return {
    conditions: [...others, ...own],
    version: { kubernetes: 'v1.35.0' },
    capacity: { cpu: '8', memory: '32Gi' },
    allocatable: { cpu: '8', memory: '32Gi' },
  }
}

function workStatus(observedGeneration, manifests) {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z/, 'Z')
  const conditions = ['Applied', 'Available'].map((type) => {
    return { type, status: 'True', reason: 'Simulated', message: '', lastTransitionTime, observedGeneration }
  })
  const reported = manifests.map(({ kind, metadata }, ordinal) => ({
    resourceMeta: {
      ordinal,
      group: '',
      version: 'v1',
      kind,
      resource: '',
      name: metadata.name,
      namespace: metadata.namespace,
    },
    conditions: conditions.map(({ observedGeneration: _, ...condition }) => condition),
  }))
  return { conditions, resourceStatus: { manifests: reported } }
}
