export { TemplateError, ValueError } from './errors.js'
export { compileTemplate } from './template.js'
export { type ClusterValues, valuesOf } from './values.js'
