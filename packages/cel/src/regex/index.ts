export { RegexError } from './parser.js'
export { compileRegex } from './regex.js'
