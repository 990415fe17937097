export { statusControllers } from './controller.js'
