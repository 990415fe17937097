export { TemplateError, ValueError } from '@orrery/kinds/values'
export { compileTemplate } from './template.js'
export { type ClusterValues, valuesOf } from './values.js'
