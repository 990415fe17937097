export type { ClientConfig, Impersonation, Pem } from './client-config.js'
export { type EntryNames, formatKubeconfig, kubeconfigOf } from './format.js'
export { type InClusterOptions, inClusterConfig } from './in-cluster.js'
export { kubeconfigPaths, type LoadOptions, loadKubeconfig, mergeKubeconfigs } from './load.js'
export { parseKubeconfig } from './parse.js'
export { clientConfigOf, type SelectOptions } from './select.js'
export { type ConfigSource, defaultSource, type FindOptions, fixedSource, kubeconfigSource } from './source.js'
export {
  type Cluster,
  type Context,
  type Entry,
  type ExecConfig,
  type Kubeconfig,
  KubeconfigError,
  type User,
} from './types.js'
export { type MergeOptions, mergeIntoKubeconfig, writeKubeconfig } from './write.js'
