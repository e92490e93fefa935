/** What people read stands in src/strings and the words of families, so that another language is those alone. */
const SENTENCE_PROPS =
  /^(aria-label|aria-description|aria-roledescription|title|label|placeholder|alt|help|description)$/

const sentences = {
  create: (context) => {
    const refuse = (node) => {
      context.report({ node, message: 'Sentences stand in src/strings, a family’s in its words.' })
    }
    return {
      JSXText: (node) => {
        if (/[A-Za-z]{2}/.test(node.value)) refuse(node)
      },
      'JSXElement > JSXExpressionContainer > Literal': (node) => {
        if (/[A-Za-z]{2} [A-Za-z]/.test(node.value)) refuse(node)
      },
      'JSXElement > JSXExpressionContainer > TemplateLiteral > TemplateElement': (node) => {
        if (/[A-Za-z]{3} [a-z]/.test(node.value.raw)) refuse(node)
      },
      'JSXAttribute > Literal': (node) => {
        if (
          SENTENCE_PROPS.test(node.parent.name.name) &&
          /^[A-Z][a-z]|[A-Za-z]{2} [a-z]/.test(node.value)
        )
          refuse(node)
      },
    }
  },
}

export default { meta: { name: 'studio' }, rules: { sentences } }
