import type { MetricRegistry } from './registry.js'

/** Adds metrics of the memory, CPU and event loop of this process, with the names of Prometheus' client libraries. */
export function addProcessMetrics(registry: MetricRegistry): () => void {
  const gauge = (name: string, help: string) => registry.gauge({ name, help }).with({})
  const resident = gauge('process_resident_memory_bytes', 'Resident memory.')
  const started = gauge('process_start_time_seconds', 'Start time of the process, in seconds since 1970.')
  const heap = gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use.')
  const external = gauge('nodejs_external_memory_bytes', 'Memory of buffers.')
  const cpu = registry.counter({ name: 'process_cpu_seconds_total', help: 'CPU time spent.' }).with({})
  const loop = registry.counter({
    name: 'nodejs_eventloop_time_seconds_total',
    help: 'Active and idle time of the event loop.',
    labels: ['state'],
  })
  const active = loop.with({ state: 'active' })
  const idle = loop.with({ state: 'idle' })
  started.value = performance.timeOrigin / 1000
  return registry.beforeRender(() => {
    const memory = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    const utilization = performance.eventLoopUtilization()
    resident.value = memory.rss
    heap.value = memory.heapUsed
    external.value = memory.external
    cpu.advanceTo((user + system) / 1e6)
    active.advanceTo(utilization.active / 1000)
    idle.advanceTo(utilization.idle / 1000)
  })
}
