export { helloworld } from './addon.js'
export { configMapSync } from './sync.js'
