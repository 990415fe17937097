export { builtinResources, storageApiVersion } from './builtin.js'
export { convert } from './convert.js'
