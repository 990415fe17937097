/**
 * The parts of the API server that only tests outside its package look at. They are no part of its public surface,
 * which is why they are named by file.
 */
export { builtinResources } from '../../../packages/apiserver/dist/kinds/index.js'
export { encodeProtobuf } from '../../../packages/apiserver/dist/protobuf/index.js'
export type { Resource } from '../../../packages/apiserver/dist/resource.js'
export type { Schema, StructSchema } from '../../../packages/apiserver/dist/schema/schema.js'
export { StoredEntry } from '../../../packages/apiserver/dist/store/entry.js'
