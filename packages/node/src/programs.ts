// For programs that only register programs: nothing here loads the node itself.
export { matchesImage } from './kubelet/programs/image-pattern.js'
export { type Program, type Programs, parsePrograms } from './kubelet/programs/program.js'
