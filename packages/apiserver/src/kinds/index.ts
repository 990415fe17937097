export { builtinResources, kindSchema, metaSchemas, storageApiVersion, structByName } from './builtin.js'
export { convert } from './convert.js'
