export { MetricFamily, type MetricOptions } from './family.js'
export { addProcessMetrics } from './process.js'
export { MetricRegistry } from './registry.js'
export { Counter, Gauge, Histogram } from './series.js'
