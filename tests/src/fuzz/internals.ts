/**
 * The parts of the API server that only tests outside its package use. They are not part of its public API, so they
 * are imported by file.
 */

export type { Schema, StructSchema } from '@orrery/kinds/tables'
export { builtinResources } from '../../../packages/apiserver/dist/kinds/index.js'
export type { Resource } from '../../../packages/apiserver/dist/kinds/resource.js'
export { encodeProtobuf } from '../../../packages/apiserver/dist/protobuf/index.js'
export { StoredEntry } from '../../../packages/apiserver/dist/store/entry.js'
