export { AdapterError, type AdapterErrorKind } from './adapter-error.js'
export {
  type ApiClient,
  type ApiClientOptions,
  type ApiRequest,
  type ApiResponse,
  apiClient,
} from './api/api-client.js'
export { type ApplyAndReportOptions, applyAndReport } from './apply-and-report.js'
export { type AdapterIo, runAdapter } from './command/run-adapter.js'
export type { AdapterConfig, HyperFleetApiConfig, KubernetesConfig, MaestroConfig } from './config/adapter-config.js'
export { type Adapter, type LoadOptions, loadAdapter } from './config/load.js'
export type * from './config/task-config.js'
export { type ClusterChoice, leastLoaded, type ManagementCluster, roundRobin } from './consumer/choice.js'
export {
  type ConfigMapConsumerOptions,
  type ConsumerTarget,
  configMapConsumer,
  staticConsumer,
} from './consumer/consumer.js'
export { type DynamicConsumerOptions, dynamicConsumer } from './consumer/dynamic.js'
export { type DryRunOptions, dryRun } from './dry-run/dry-run.js'
export { formatTrace, type Trace } from './dry-run/trace.js'
export {
  type DeleteObjectOptions,
  kubeObjects,
  type ObjectClient,
  type ObjectSelection,
  type ObjectType,
} from './objects/object-client.js'
export { conditionsOf, type DecideOptions, reportOfFailure } from './results/conditions.js'
export { writeReport, writeResult } from './results/files.js'
export type { AdapterReport, AdapterResult, ReportCondition } from './results/report.js'
export type { RetryBackoff, RetryPolicy } from './retry.js'
export { type AdapterEvent, parseEvent } from './run/event.js'
export { execute, type RunContext } from './run/execute.js'
export type { ExecutionResult, Phase } from './run/execution.js'
export { connectApi, connectKubernetes, connectMaestro } from './serve/connect.js'
export { type AdapterServer, type AdapterServerOptions, startAdapterServer } from './serve/server.js'
export { type AppliedWork, type ApplyWorkContext, applyWork, GENERATION_ANNOTATION } from './works/apply-work.js'
export type { RequestOptions, WatchableWorkClient, WatchableWorks, WorkClient, Works } from './works/work-client.js'
