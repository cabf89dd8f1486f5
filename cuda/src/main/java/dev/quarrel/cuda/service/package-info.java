/// What the queries on one device share: its memory between queries, and their turn.
package dev.quarrel.cuda.service;
