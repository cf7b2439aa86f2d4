-- Postings are read entry by entry. Nothing asks for those of one account, and keeping them in that order as well was a third of what a
-- posting costs.
DROP INDEX postings_account;
