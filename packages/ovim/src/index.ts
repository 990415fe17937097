export * from './kinds/index.js'
export * from './wire/index.js'
