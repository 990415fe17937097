export { type ClientOptions, KubeClient } from './client.js'
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ObjectList,
  PatchOptions,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './options.js'
export { collectionPath, objectPath } from './paths.js'
export { readJson, reasonOfCode, retryAfter } from './reply.js'
export type { HttpRequest, HttpResponse, Transport } from './transport.js'
