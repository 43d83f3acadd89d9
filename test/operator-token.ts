/** The operator's token of every gateway that a test starts, unless the test sets another one. */
export const operatorToken = 'operator-token-of-the-tests'

/** The header of an operator's request. */
export const asOperator = { authorization: `Bearer ${operatorToken}` }
