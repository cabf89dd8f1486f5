/// What a query may take, and how it is told to stop: memory is reserved before it is allocated, and long work asks
/// [dev.quarrel.core.budget.Cancellation] at least once a morsel.
package dev.quarrel.core.budget;
