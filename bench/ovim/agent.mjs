// A simulated spoke agent: it reports its virtual machines with each heartbeat, waits for operations with long polls, executes them at
// once and reports the results, over TLS with a token of its own.
import { Agent as Connections, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

const WAIT_SECONDS = 30
const RETRY_MILLISECONDS = 500
/** After an operation the agent reports soon, with all changes of this time in one report. */
const REPORT_SOON_MILLISECONDS = 1_000
const VM_MEMORY = 1 << 30

export class Agent {
  registered = false
  /** How often each operation was executed, by its id. */
  executed = new Map()
  /** When operations arrived, by their id. */
  received = new Map()
  reports = 0
  failures = 0
  reportMilliseconds = []
  #hub
  #zone
  #token
  #heartbeat
  #connections
  #vms = new Map()
  #vdcs = new Map()
  #soon
  #timer
  #stopped = false

  constructor({ server, ca }, { zone, token }, heartbeatMilliseconds) {
    this.#hub = server
    this.#zone = zone
    this.#token = token
    this.#heartbeat = heartbeatMilliseconds
    this.#connections = new Connections({ ca, keepAlive: true })
  }

  /** Resolves when the hub has accepted the first report. */
  async start() {
    while (!(await this.#report())) await sleep(RETRY_MILLISECONDS)
    this.registered = true
    void this.#pollForever()
    // Agents that start together do not report together.
    this.#timer = setTimeout(() => this.#beat(), this.#heartbeat * Math.random())
  }

  stop() {
    this.#stopped = true
    clearTimeout(this.#timer)
    clearTimeout(this.#soon)
    this.#connections.destroy()
  }

  #beat() {
    this.#timer = setTimeout(() => this.#beat(), this.#heartbeat)
    void this.#report()
  }

  async #pollForever() {
    while (!this.#stopped) {
      try {
        const path = `/api/v1/spoke/operations?agent_id=${this.#zone}&wait=${WAIT_SECONDS}`
        const operations = (await this.#send('GET', path)) ?? []
        const now = Date.now()
        for (const { id } of operations) if (!this.received.has(id)) this.received.set(id, now)
        await Promise.all(operations.map((operation) => this.#execute(operation)))
      } catch {
        if (this.#stopped) return
        this.failures++
        await sleep(RETRY_MILLISECONDS)
      }
    }
  }

  async #execute({ id, type, payload }) {
    this.executed.set(id, (this.executed.get(id) ?? 0) + 1)
    const result = this.#apply(type, payload)
    const timestamp = new Date().toISOString()
    const body = { operation_id: id, status: 'completed', timestamp, duration: 1_000_000, ...(result && { result }) }
    await this.#send('POST', `/api/v1/spoke/operations/${id}/result`, body)
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      void this.#report()
    }, REPORT_SOON_MILLISECONDS)
  }

  #apply(type, payload) {
    const now = new Date().toISOString()
    if (type === 'VDCCreate') {
      const { vdc_name: name, target_namespace: namespace, organization } = payload
      this.#vdcs.set(namespace, { name, namespace, status: 'Active', organization, created_at: now, updated_at: now })
    }
    if (type === 'VMCreate') {
      const { name, namespace, labels } = payload
      const at = this.#vms.size
      const vm = {
        name,
        namespace,
        status: 'running',
        phase: 'Running',
        printable_status: 'Running',
        node_name: `node-${at % 10}`,
        ip_address: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
        cpu: '1',
        memory: '1Gi',
        labels,
        uid: id(name),
        instance_uid: id(`${name}-instance`),
        created_at: now,
        updated_at: now,
      }
      this.#vms.set(`${namespace}/${name}`, vm)
      return { vm }
    }
    return undefined
  }

  async #report() {
    const started = performance.now()
    try {
      await this.#send('POST', '/api/v1/spoke/status', this.#statusReport())
      this.reports++
      this.reportMilliseconds.push(performance.now() - started)
      return true
    } catch {
      if (!this.#stopped) this.failures++
      return false
    }
  }

  #statusReport() {
    const [zone, now, vms] = [this.#zone, new Date().toISOString(), [...this.#vms.values()]]
    // The usage of a real cluster is never the same twice.
    const cpu_used = vms.length * 300 + Math.round(Math.random() * 500)
    const resources = usage({ cpu_used, memory_used: vms.length * VM_MEMORY, vm_count: vms.length, node_count: 10 })
    return {
      agent_id: zone,
      cluster_id: zone,
      zone_id: zone,
      status: 'healthy',
      state: 'Healthy',
      version: 'bench',
      metrics: { cluster_id: zone, zone_id: zone, resources, node_status: nodes(now), last_collected: now },
      vdcs: [...this.#vdcs.values()].map((vdc) => ({
        ...vdc,
        resource_usage: usage({
          cpu_used: vms.length * 1_000,
          memory_used: vms.length * VM_MEMORY,
          vm_count: vms.length,
        }),
      })),
      vms,
      last_hub_contact: now,
      report_time: now,
    }
  }

  /** Resolves with the JSON of the response; undefined if it has none. */
  #send(method, path, body) {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = {
      authorization: `Bearer ${this.#token}`,
      'x-agent-id': this.#zone,
      'x-cluster-id': this.#zone,
      'x-zone-id': this.#zone,
      ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#hub}${path}`, { method, headers, agent: this.#connections }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode >= 400) reject(new Error(`${response.statusCode}: ${text}`))
          else resolve(text === '' ? undefined : JSON.parse(text))
        })
      })
      outgoing.on('error', reject)
      outgoing.end(bytes)
    })
  }
}

function usage(values) {
  const none = { cpu_used: 0, memory_used: 0, storage_used: 0, node_count: 0, pod_count: 0, vm_count: 0 }
  const capacity = { cpu_capacity: 320_000, memory_capacity: 2 ** 40, storage_capacity: 2 ** 44 }
  return { ...none, ...capacity, cpu_percent: 0, memory_percent: 0, storage_percent: 0, ...values }
}

function nodes(now) {
  return Array.from({ length: 10 }, (_, at) => ({
    name: `node-${at}`,
    status: 'Ready',
    cpu: usage({}),
    memory: usage({}),
    storage: usage({}),
    conditions: [{ type: 'Ready', status: 'True', last_transition_time: now }],
  }))
}

function id(name) {
  return `${name}-0000-4000-8000-000000000000`
}
